import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond the edge that are there already, so that a quick finger sees no hole. */
const BEYOND = 8;
/** So many rows before the end the next page is asked for. */
const NEAR_END = 30;

interface VirtualProps<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Of a row, CSS pixels; all are alike. */
  height: number;
  render: (row: Row, index: number) => ComponentChildren;
  onNearEnd: () => void;
  /** Kept in sight when it changes. */
  current: number;
  label: string;
}

/**
 * A list of which only what is in sight is in the document: as quick with 100,000 rows as with ten. All rows are alike, so
 * it needs no library that measures them (@tanstack/virtual-core: 10 KB in place of 1, and the same code around it).
 */
export function Virtual<Row>({ rows, keyOf, height, render, onNearEnd, current, label }: VirtualProps<Row>) {
  const box: Ref<HTMLElement> = useRef(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(800);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setRoom(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useAnchor(box, rows, keyOf, height);
  useInSight(box, current, height);

  const start = Math.max(0, Math.floor(top / height) - BEYOND);
  const end = Math.min(rows.length, Math.ceil((top + room) / height) + BEYOND);
  useEffect(() => {
    if (end + NEAR_END >= rows.length) onNearEnd();
  }, [end, rows.length]);

  return (
    <section
      ref={box}
      class="relative min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <ul class="relative" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(start, end).map((row, offset) => (
          <li
            key={keyOf(row)}
            class="absolute inset-x-0"
            style={{ top: `${(start + offset) * height}px`, height: `${height}px` }}
            aria-setsize={rows.length}
            aria-posinset={start + offset + 1}
          >
            {render(row, start + offset)}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Box = { current: HTMLElement | null };

/** What comes in above must not push away what is being read. */
function useAnchor<Row>(box: Box, rows: readonly Row[], keyOf: (row: Row) => string, height: number): void {
  const first = rows[0] && keyOf(rows[0]);
  const before = useRef({ first, rows });
  useLayoutEffect(() => {
    const element = box.current!;
    const was = before.current.first;
    before.current = { first, rows };
    if (was === undefined || was === first || element.scrollTop < height) return;
    const moved = rows.findIndex((row) => keyOf(row) === was);
    if (moved > 0) element.scrollTop += moved * height;
  }, [first]);
}

function useInSight(box: Box, current: number, height: number): void {
  useLayoutEffect(() => {
    const element = box.current!;
    if (current < 0) return;
    const from = current * height;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (from + height > element.scrollTop + element.clientHeight) {
      element.scrollTop = from + height - element.clientHeight;
    }
  }, [current]);
}
