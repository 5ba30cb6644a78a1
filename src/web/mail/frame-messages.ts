import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type RemovedKind, removedElements } from '../../rules/removed.ts';

/*
 * What the script in a mail's frame reports (src/doors/dashboard/frame-script.ts). It is read as if the mail itself had
 * sent it: only from that frame, and only what has the right form and size. The worst that a forger could do is to
 * choose the frame's height, press a key of this page, or have it ask whether to open a link.
 */

/** Height of a frame that asks to be measured, and the tallest, as in the script. */
export const MEASURED_PX = 4;
const FRAME_PX_MAX = 30_000;
const LINK_CHARS_MAX = 16_384;
const COUNT_MAX = 1_000_000;

export interface AboutMail {
  removed: [kind: RemovedKind, count: number][];
  hasDark: boolean;
}

export interface FrameReader {
  onAbout: (about: AboutMail) => void;
  onHeight: (px: number) => void;
  /** The mail is wider than its frame. */
  onWidth: (px: number) => void;
  /** An address that may be opened, after asking. */
  onLink: (url: string) => void;
  /** Pixels from the top of the frame, for a link within the mail. */
  onTop: (px: number) => void;
}

/** Reads what the frame reports while the component is mounted. */
export function useFrame(frame: RefObject<HTMLIFrameElement | null>, reader: FrameReader): void {
  const latest = useRef(reader);
  latest.current = reader;
  // Before the frame can have loaded, because it reports on its mail only once.
  useLayoutEffect(() => {
    const read = ({ source, data }: MessageEvent) => {
      if (!frame.current || source !== frame.current.contentWindow) return;
      readReport(data, latest.current);
    };
    addEventListener('message', read);
    return () => removeEventListener('message', read);
  }, [frame]);
}

/** Reads one report; `data` may be anything. */
export function readReport(data: unknown, reader: FrameReader): void {
  const report: unknown = (data as { mail?: unknown } | null)?.mail;
  if (typeof report === 'object' && report !== null) take(report as Record<string, unknown>, reader);
}

function take({ about, height, width, top, link, key }: Record<string, unknown>, reader: FrameReader): void {
  if (typeof about === 'string') reader.onAbout(readAbout(about));
  if (isPixels(height)) reader.onHeight(height);
  if (isPixels(width)) reader.onWidth(width);
  if (isPixels(top)) reader.onTop(top);
  if (typeof link === 'string' && link.length <= LINK_CHARS_MAX && /^(https?|mailto):/i.test(link))
    reader.onLink(link);
  if (typeof key === 'string') press(key);
}

const isPixels = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= FRAME_PX_MAX;

function readAbout(text: string): AboutMail {
  try {
    const { removed, hasDark } = JSON.parse(text);
    return { removed: Object.entries(removed as object).filter(isRemoved), hasDark: hasDark === true };
  } catch {
    return { removed: [], hasDark: false };
  }
}

function isRemoved(entry: [string, unknown]): entry is [RemovedKind, number] {
  const [kind, count] = entry;
  return (
    Object.hasOwn(removedElements, kind) &&
    typeof count === 'number' &&
    Number.isInteger(count) &&
    count > 0 &&
    count < COUNT_MAX
  );
}

/** Acts as if the key were pressed outside the frame; keys.ts ignores keys without a meaning. */
function press(name: string): void {
  const [, mod, key = ''] = /^(mod\+)?(.|Escape|Delete)$/u.exec(name) ?? [];
  if (key === '') return;
  // The clipboard and the search box need the focus on this page.
  if (document.activeElement instanceof HTMLIFrameElement) document.activeElement.blur();
  dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: mod !== undefined, cancelable: true }));
}
