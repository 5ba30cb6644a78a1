import { Component, type ComponentChildren, type HTMLAttributes, type Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Slot, Slots } from './slots.ts';

/** Rows rendered beyond each edge, so that fast scrolling shows no gap. */
const BEYOND = 8;
/** The next page is requested this many rows before the end. */
const NEAR_END = 30;
/** After this long without scrolling, the elements are put in the order of their rows. */
const SETTLED_MS = 150;

interface VirtualProps<Row> {
  rows: readonly Row[];
  findKey: (row: Row) => string;
  /** Height of every row, CSS pixels. */
  height: number;
  /** Which elements a row has: always the same function. */
  findLook: (row: Row) => number;
  /** Other state that the look of a row depends on. */
  countMarks: (row: Row) => number;
  /** A row is rendered again only if it, its marks or this function change, or a signal that is read in it. */
  render: (row: Row, marks: number) => ComponentChildren;
  onNearEnd: () => void;
  /** Called with whether the first row is out of sight. */
  onScroll: (isAway: boolean) => void;
  /** Index of the current row, scrolled into view when it changes. */
  current: number;
  label: string;
  /** Listeners of the list itself. */
  listeners: HTMLAttributes<HTMLElement>;
}

/**
 * A list that renders only the visible rows, so that 100,000 rows are as fast as ten. All rows have one height, so it
 * needs no library that measures them (@tanstack/virtual-core: 10 KB instead of 1, and the same code around it).
 *
 * A row that comes into view reuses the elements of one that has left, in a third of the time of creating them.
 */
export function Virtual<Row>(props: VirtualProps<Row>) {
  const { rows, findKey, height, countMarks, render, onNearEnd, onScroll, current, label, listeners } = props;
  const box: Ref<HTMLElement> = useRef(null);
  const [top, setTop] = useState(0);
  const room = useRoom(box);
  const [isScrolling, setScrolling] = useState(false);
  const settled = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settled.current), []);

  const shift = useAnchor(box, rows, findKey, height, setTop);
  const place = top + shift + useKeptPlace(box, current, height, { top, room, setTop });
  useInSight(box, current, rows[current] && findKey(rows[current]), height);

  const start = Math.max(0, Math.floor(place / height) - BEYOND);
  const end = Math.min(rows.length, Math.ceil((place + room) / height) + BEYOND);
  useEffect(() => {
    if (end + NEAR_END >= rows.length) onNearEnd();
    // Not just their number: a page may contain only more recipients of the last row.
  }, [end, rows]);
  const slots = useRef<Slots<Row>>(undefined);
  slots.current ??= new Slots(props.findLook);
  const shown = slots.current.assign(rows, findKey, start, end, !isScrolling);
  useKeptFocus(box, shown);

  return (
    <section
      {...listeners}
      ref={box}
      class="relative min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none]"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        onScroll(currentTarget.scrollTop >= height);
        setScrolling(true);
        clearTimeout(settled.current);
        settled.current = setTimeout(() => setScrolling(false), SETTLED_MS);
      }}
    >
      <ul class="relative" style={{ height: `${rows.length * height}px` }}>
        {shown.map(({ id, row, index }) => (
          <li
            key={id}
            class="absolute inset-x-0 top-0 contain-strict"
            style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
            aria-setsize={rows.length}
            aria-posinset={index + 1}
          >
            <Same row={row} marks={countMarks(row)} render={render} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SameProps<Row> extends Pick<VirtualProps<Row>, 'render'> {
  row: Row;
  marks: number;
}

/** Renders again only when the row, its marks or `render` changes. */
class Same<Row> extends Component<SameProps<Row>> {
  override shouldComponentUpdate({ row, marks, render }: SameProps<Row>): boolean {
    return row !== this.props.row || marks !== this.props.marks || render !== this.props.render;
  }

  render({ row, marks, render }: SameProps<Row>) {
    return render(row, marks);
  }
}

type Box = { current: HTMLElement | null };

/** Returns the height of the list, in CSS pixels. */
function useRoom(box: Box): number {
  const [room, setRoom] = useState(800);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setRoom(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return room;
}

/** Keeps the focus on its row when elements move or are replaced. If the row is gone, the list gets the focus, not another row. */
function useKeptFocus<Row>(box: Box, shown: readonly Slot<Row>[]): void {
  const before = useRef(shown);
  const active = document.activeElement;
  const list = box.current?.querySelector('ul');
  let held: Slot<Row> | undefined;
  if (active && list?.contains(active)) {
    const at = [...list.children].findIndex((item) => item.contains(active));
    held = before.current[at];
  }
  useLayoutEffect(() => {
    before.current = shown;
    if (!held) return;
    const at = shown.findIndex(({ id, key }) => id === held.id && key === held.key);
    let next: Element | null | undefined = box.current;
    // A row that is rendered in another layout has new elements.
    if (at >= 0) next = active?.isConnected ? active : list?.children[at]?.querySelector(active!.localName);
    if (document.activeElement !== next && next instanceof HTMLElement) next.focus({ preventScroll: true });
  });
}

/** Visible rows to try as an anchor: some may have been removed. */
const ANCHORS_MAX = 20;

/**
 * Keeps the visible rows in place when others are added or removed above them. Returns how far that scrolls the list, in
 * CSS pixels, so that the same render pass can show the right rows.
 */
function useAnchor<Row>(
  box: Box,
  rows: readonly Row[],
  findKey: (row: Row) => string,
  height: number,
  setTop: (top: number) => void,
): number {
  const before = useRef(rows);
  const top = box.current?.scrollTop ?? 0;
  const isHeld = before.current !== rows && top >= height;
  const shift = isHeld ? countMoved(before.current, rows, Math.floor(top / height), findKey) * height : 0;
  useLayoutEffect(() => {
    before.current = rows;
    if (shift === 0) return;
    box.current!.scrollTop = top + shift;
    setTop(box.current!.scrollTop);
  }, [rows]);
  return shift;
}

/** Returns how many more rows are above the one at this index than before. */
function countMoved<Row>(
  before: readonly Row[],
  rows: readonly Row[],
  at: number,
  findKey: (row: Row) => string,
): number {
  for (const [nth, row] of before.slice(at, at + ANCHORS_MAX).entries()) {
    const key = findKey(row);
    const index = at + nth;
    if (rows[index] && findKey(rows[index]) === key) return 0;
    const moved = rows.findIndex((each) => findKey(each) === key);
    if (moved >= 0) return moved - index;
  }
  return 0;
}

/** Which part of the list is in sight, as last rendered, CSS pixels. */
interface Sight {
  top: number;
  room: number;
  setTop: (top: number) => void;
}

/**
 * When all rows become higher or lower, keeps the current row where it is, or else the first one in sight. Returns how far
 * that scrolls the list, in CSS pixels, as `useAnchor` does.
 */
function useKeptPlace(box: Box, current: number, height: number, { top, room, setTop }: Sight): number {
  const before = useRef(height);
  const old = before.current;
  const from = current * old;
  const isInSight = current >= 0 && from + old > top && from < top + room;
  const shift = (isInSight ? current : top / old) * (height - old);
  useLayoutEffect(() => {
    before.current = height;
    if (shift === 0) return;
    const element = box.current!;
    element.scrollTop = top + shift;
    if (isInSight) scrollToRow(element, current, height);
    setTop(element.scrollTop);
  }, [height]);
  return shift;
}

/** Scrolls to the current row when another row becomes current, not when only its index changes. */
function useInSight(box: Box, current: number, key: string | undefined, height: number): void {
  useLayoutEffect(() => {
    if (current >= 0) scrollToRow(box.current!, current, height);
  }, [key]);
}

function scrollToRow(element: HTMLElement, index: number, height: number): void {
  const from = index * height;
  if (from < element.scrollTop) element.scrollTop = from;
  else if (from + height > element.scrollTop + element.clientHeight) {
    element.scrollTop = from + height - element.clientHeight;
  }
}
