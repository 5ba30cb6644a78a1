import { useRef } from 'preact/hooks';
import { words } from '../words/words.ts';
import type { sidebar } from './layout.ts';

const STEP_PX = 16;

/** The line beside a pane. Drag it, or move it with the arrow keys; a double click restores the normal width. */
export function Separator({ pane, class: more = '' }: { pane: typeof sidebar; class?: string }) {
  const { px, min, max, normal, name } = pane;
  const grip = useRef<{ x: number; px: number } | null>(null);
  const set = (next: number) => {
    px.value = Math.round(Math.min(max, Math.max(min, next)));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> can't be moved.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={words.list.panes[name]}
      aria-valuenow={px.value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      title={words.list.panes.drag}
      class={`absolute inset-y-0 right-0 z-20 w-2 translate-x-1/2 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-1/2 after:w-0.5 after:-translate-x-1/2 hover:after:bg-accent focus-visible:after:bg-accent ${more}`}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        // Otherwise the browser may start to drag a selection, and the pointer events stop.
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, px: px.peek() };
        document.documentElement.dataset.resizing = '';
      }}
      onPointerMove={({ clientX }) => {
        if (grip.current) set(grip.current.px + clientX - grip.current.x);
      }}
      onLostPointerCapture={() => {
        grip.current = null;
        delete document.documentElement.dataset.resizing;
      }}
      onDblClick={() => set(normal)}
      onKeyDown={(event) => {
        const next = { ArrowLeft: px.peek() - STEP_PX, ArrowRight: px.peek() + STEP_PX, Home: min, End: max }[
          event.key
        ];
        if (next === undefined) return;
        event.preventDefault();
        set(next);
      }}
    />
  );
}
