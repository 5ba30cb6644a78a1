import { batch, computed, signal } from '@preact/signals';
import type { ComponentChildren, JSX, TargetedMouseEvent } from 'preact';
import { base, home } from './base.ts';

/** Paths of the dashboard, below the base path: `/dashboard/inbox/inbox_…/msg_…` is `['inbox', 'inbox_…', 'msg_…']`. */
const pathname = signal(location.pathname);
const parameters = signal(location.search);

function readAddress(): void {
  batch(() => {
    pathname.value = location.pathname;
    parameters.value = location.search;
  });
}

addEventListener('popstate', readAddress);

/** The search in the address: `?q=…`. */
export const searched = computed(() => new URLSearchParams(parameters.value).get('q') ?? '');

export const segments = computed(() => {
  const parts = pathname.value.slice(base.length).split('/').filter(Boolean).map(decode);
  return parts[0] === 'dashboard' ? parts.slice(1) : parts;
});

/** Leaves a part encoded if it can't be decoded or hides a slash: `..%2F` must not lead a request to another route. */
function decode(part: string): string {
  try {
    const decoded = decodeURIComponent(part);
    return decoded.includes('/') ? part : decoded;
  } catch {
    return part;
  }
}

export function go(path: string, { replace = false } = {}): void {
  if (path === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', path);
  readAddress();
}

/** The same path with a search. */
export function withSearch(path: string, text: string): string {
  return text.trim() === '' ? path : `${path}?${new URLSearchParams({ q: text })}`;
}

/** A path of the dashboard. */
export function pathTo(...parts: string[]): string {
  return [home, ...parts.map(encodeURIComponent)].join('/');
}

/** The props of a page. */
export interface PlaceProps {
  /** The segments of the address after the place. */
  rest: string[];
}

interface LinkProps
  extends Pick<
    JSX.IntrinsicElements['a'],
    'class' | 'aria-current' | 'aria-label' | 'title' | 'onPointerDown'
  > {
  to: string;
  children?: ComponentChildren;
}

/** A click on a link within the dashboard navigates without a page load, unless a modifier key is held. */
export function followLink(event: TargetedMouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(event.currentTarget.getAttribute('href') ?? '');
}

export function Link({ to, children, ...rest }: LinkProps) {
  return (
    <a {...rest} href={to} onClick={followLink}>
      {children}
    </a>
  );
}
