import { signal } from '@preact/signals';
import { apiPath } from '../base.ts';
import { isDark } from '../theme.ts';
import { MEASURED_PX } from './frame-messages.ts';
import { openMessage } from './opened.ts';
import { shownMessage } from './shown.ts';

/*
 * Prepares a message while it is being clicked. A click holds the mouse button down for at least 80 ms. In that time the
 * message is loaded, and the browser creates the frame of its HTML, which has a process of its own, out of sight. The
 * frame is then moved into the page, if the browser can do that without reloading it.
 */

/** Whether mails with a dark mode are shown in it. Null follows the theme of the page. */
export const chosenDark = signal<boolean | null>(null);

/** The frame's path for a mail at this path under the dashboard's routes. */
export function framePath(path: string, images: boolean): string {
  const dark = chosenDark.value ?? isDark.value;
  const asked = new URLSearchParams({ ...(images && { images: 'true' }), ...(dark && { dark: 'true' }) });
  return apiPath(`${path}/frame?${asked}`);
}

export interface MailFrame {
  element: HTMLIFrameElement;
  /** What it has reported so far (frame-messages.ts). */
  reports: unknown[];
  /** Width for which it was measured, CSS pixels. */
  width: number;
}

interface PreparedFrame extends MailFrame {
  path: string;
  discard: () => void;
}

/** At most one, so that a pointer that presses many rows costs one frame. */
let prepared: PreparedFrame | null = null;
/** How long a frame waits for a click that may never come. */
const PREPARED_MS = 10_000;

type Mover = Element & { moveBefore(node: Node, child: Node | null): void };
const canMove = 'moveBefore' in Element.prototype;

/** Loads a message that is likely to be opened in a moment, and its frame. */
export function expectMessage(id: string | undefined): void {
  if (id === undefined) return;
  openMessage(id)
    .then((message) => {
      if (canMove && message.peek().html && shownMessage.peek() !== id)
        prepareFrame(framePath(`messages/${id}`, false));
    })
    .catch(() => {});
}

function prepareFrame(path: string): void {
  if (prepared?.path === path) return;
  prepared?.discard();
  const corner = document.createElement('div');
  corner.inert = true;
  // As wide as the pane, so that its height is known too.
  const width = document.querySelector('[data-scrolls]')?.clientWidth ?? innerWidth / 2;
  Object.assign(corner.style, {
    position: 'fixed',
    top: '0',
    width: `${width}px`,
    height: `${MEASURED_PX}px`,
    overflow: 'hidden',
    visibility: 'hidden',
  });
  const element = makeFrame(path);
  Object.assign(element.style, { width: '100%', height: `${MEASURED_PX}px` });
  const reports: unknown[] = [];
  const listen = ({ source, data }: MessageEvent) => {
    if (source === element.contentWindow) reports.push(data);
  };
  addEventListener('message', listen);
  const timer = setTimeout(() => discard(), PREPARED_MS);
  const discard = () => {
    clearTimeout(timer);
    removeEventListener('message', listen);
    corner.remove();
    if (prepared?.element === element) prepared = null;
  };
  prepared = { path, element, reports, width, discard };
  // Closed, so that code that looks for the frame of the open message can't find this one.
  corner.attachShadow({ mode: 'closed' }).append(element);
  document.body.append(corner);
}

function makeFrame(path: string): HTMLIFrameElement {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.referrerPolicy = 'no-referrer';
  element.src = path;
  return element;
}

/** Puts the frame for this path into an element: the prepared one, or else a new one. */
export function placeFrame(path: string, host: Element): MailFrame {
  if (prepared?.path === path) {
    const { element, reports, width, discard } = prepared;
    (host as Mover).moveBefore(element, null);
    element.removeAttribute('style');
    discard();
    return { element, reports, width };
  }
  const element = makeFrame(path);
  host.append(element);
  return { element, reports: [], width: element.clientWidth };
}
