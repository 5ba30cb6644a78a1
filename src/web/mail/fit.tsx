import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { percent } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { chosenPx } from './widths.tsx';

/*
 * Scales down a mail that is wider than the phone, as email clients do. The frame stays as wide as the mail and is scaled
 * as a whole, so measurements inside it remain valid.
 */

export interface Fit {
  /** Width of the mail, CSS pixels. */
  width: number;
  scale: number;
  /** Whether the reader asked for its full size. */
  isFull: boolean;
}

/** Only narrower frames are scaled: on a larger screen a wide mail scrolls, as in a browser. */
const NARROW_PX = 600;
/** A mail may ask for this many widths: one that grows with its frame would never stop. */
const WIDTHS_MAX = 2;
/** At a smaller scale nothing is legible. */
const SCALE_MIN = 0.25;

/** Kept while the reader moves between messages. */
const wantsFull = signal(false);

/** How to scale the frame now, if at all, and a function that is called with each width that its mail reports. */
export function useFit(
  around: RefObject<HTMLElement | null>,
  onFit: (fit: Fit | null) => void,
): [fit: Fit | null, readWidth: (px: number) => void] {
  const [room, setRoom] = useState(0);
  const [width, setWidth] = useState(0);
  const reports = useRef(0);
  const px = chosenPx.value;
  useLayoutEffect(() => {
    const element = around.current!;
    const measure = () => setRoom(px ?? element.clientWidth);
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    measure();
    return () => watcher.disconnect();
  }, [px]);
  // The mail reports its width again in a frame of another width.
  const roomBefore = useRef(room);
  useLayoutEffect(() => {
    if (roomBefore.current !== 0) {
      reports.current = 0;
      setWidth(0);
    }
    roomBefore.current = room;
  }, [room]);
  const isWide = room > 0 && room < NARROW_PX && width > room;
  const isFull = wantsFull.value;
  const scale = isWide ? Math.max(SCALE_MIN, room / width) : 1;
  useEffect(() => onFit(isWide ? { width, scale, isFull } : null), [isWide, width, scale, isFull]);
  const readWidth = (reported: number) => {
    if (reports.current >= WIDTHS_MAX) return;
    reports.current += 1;
    setWidth(reported);
  };
  return [isWide && !isFull ? { width, scale, isFull } : null, readWidth];
}

export function FitButton({ scale }: { scale: number }) {
  return (
    <button
      type="button"
      class="button h-7!"
      aria-pressed={wantsFull.value}
      onClick={() => {
        wantsFull.value = !wantsFull.value;
      }}
    >
      {words.reading.html.fullSize}
      {!wantsFull.value && (
        <span class="text-faint tabular-nums">{percent(Math.round(scale * 100) / 100)}</span>
      )}
    </button>
  );
}
