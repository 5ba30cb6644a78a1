import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows rendered beyond each edge, so that fast scrolling shows no gap. */
const BEYOND = 8;
/** The next page is requested this many rows before the end. */
const NEAR_END = 30;

interface VirtualProps<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Height of every row, CSS pixels. */
  height: number;
  render: (row: Row, index: number) => ComponentChildren;
  onNearEnd: () => void;
  /** Index of the current row, scrolled into view when it changes. */
  current: number;
  label: string;
}

/**
 * A list that renders only the visible rows, so that 100,000 rows are as fast as ten. All rows have one height, so it
 * needs no library that measures them (@tanstack/virtual-core: 10 KB instead of 1, and the same code around it).
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
    // Not only their number: a page may have nothing but more recipients of the last row.
  }, [end, rows]);

  return (
    <section
      ref={box}
      class="relative min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <ul class="relative" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(start, end).map((row, offset) => (
          <li
            key={keyOf(row)}
            class="absolute inset-x-0 contain-strict"
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

/** Keeps the scroll position when rows are added above. */
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
