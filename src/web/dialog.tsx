import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { segments } from './router.tsx';
import { words } from './words/words.ts';

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Wider than a confirmation. */
  wide?: boolean;
}

/**
 * The browser's own modal dialog, which traps the focus and restores it on close. It also closes when the page behind it
 * changes, for example by Back, because it belongs to that page.
 */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  /** Where the pointer was pressed: a selection that is dragged out of the dialog ends with a click on its backdrop. */
  const pressed = useRef<EventTarget | null>(null);
  // Before the next event: a key that is typed at once is meant for the dialog, not for the page behind it.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement as HTMLElement | null;
    if (dialog && !dialog.open) dialog.showModal();
    const opened = segments.peek();
    const stop = segments.subscribe((now) => now !== opened && onClose());
    return () => {
      stop();
      dialog?.close();
      // By now it is removed from the page, so the browser does not restore the focus.
      if (document.activeElement === document.body) before?.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; this click is on the backdrop.
    <dialog
      ref={element}
      aria-labelledby={id}
      class={`rise card m-auto max-h-[88dvh] w-[calc(100vw-2rem)] overflow-auto bg-raised p-0 shadow-float ${wide ? 'max-w-2xl' : 'max-w-md'}`}
      // The close event of a removed dialog fires in a later task, when the next dialog may be open.
      onClose={() => element.current && onClose()}
      onPointerDown={({ target }) => {
        pressed.current = target;
      }}
      onClick={({ target }) => target === element.current && target === pressed.current && onClose()}
    >
      <div class="p-5 break-words">
        <div class="mb-4 flex items-center justify-between gap-4">
          <h2 id={id} class="min-w-0 text-lg font-semibold wrap-anywhere">
            {title}
          </h2>
          <button
            type="button"
            class="button button-quiet button-icon -m-1.5"
            aria-label={words.frame.close}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface Question {
  title: string;
  body: ComponentChildren;
  action: string;
  isDanger?: boolean;
}

const question = signal<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Asks for confirmation before something that can't be undone. */
export function ask(request: Question): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      ...request,
      answer(yes) {
        question.value = null;
        resolve(yes);
      },
    };
  });
}

/** Renders the confirmations of `ask`; mounted once, in the shell. */
export function Questions() {
  if (!question.value) return null;
  const { title, body, action, isDanger, answer } = question.value;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <div class="text-soft">{body}</div>
      <div class="mt-5 flex flex-wrap justify-end gap-2">
        <button type="button" class="button" onClick={() => answer(false)}>
          {words.frame.cancel}
        </button>
        <button
          type="button"
          class={`button ${isDanger ? 'button-danger' : 'button-main'}`}
          autofocus
          onClick={() => answer(true)}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
