import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fullTime, shortTime } from './format.ts';
import { Icon, type IconName } from './icons.tsx';
import { copy } from './toast.tsx';
import { words } from './words/words.ts';

/** Small components that every page uses. */

interface IconButtonProps {
  icon: IconName;
  label: string;
  /** The keyboard shortcut. */
  shortcut?: string;
  onClick: () => void;
  class?: string;
  pressed?: boolean;
  disabled?: boolean;
}

export function IconButton({
  icon,
  label,
  shortcut,
  onClick,
  class: more = '',
  pressed,
  disabled,
}: IconButtonProps) {
  return (
    <button
      type="button"
      class={`button button-quiet button-icon ${more}`}
      aria-label={label}
      aria-pressed={pressed}
      title={shortcut ? `${label} (${shortcut})` : label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

interface ShortTimeProps {
  /** ISO 8601. */
  at: string;
  /** Shown under the pointer. */
  title?: string;
  class?: string;
}

/** A time in a list, in full under the pointer. */
export function ShortTime({ at, title = fullTime(at), class: more = '' }: ShortTimeProps) {
  return (
    <time class={`text-xs text-faint ${more}`} dateTime={at} title={title}>
      {shortTime(at)}
    </time>
  );
}

const DONE_MS = 1_200;

/** Copies the text and shows a check mark for a moment. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const [done, setDone] = useState(false);
  const onClick = () => {
    void copy(text, what);
    setDone(true);
    setTimeout(() => setDone(false), DONE_MS);
  };
  const icon = <Icon name={done ? 'check' : 'copy'} />;
  return label ? (
    <button type="button" class="button" onClick={onClick}>
      {icon}
      {label}
    </button>
  ) : (
    <button
      type="button"
      class="button button-quiet button-icon"
      aria-label={words.frame.copyOne(what)}
      title={words.frame.copyOne(what)}
      onClick={onClick}
    >
      {icon}
    </button>
  );
}

/** An empty state: says what is missing and what to do. */
export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="mx-auto flex max-w-sm flex-col items-center px-6 py-14 text-center">
      <div class="mb-3 grid size-11 place-items-center rounded-full bg-hover text-faint">
        <Icon name={icon} />
      </div>
      <p class="text-base font-semibold">{title}</p>
      {children && <div class="mt-1.5 text-sm text-soft">{children}</div>}
    </div>
  );
}

/** After this time a placeholder says that it is not forgotten. */
const SLOW_MS = 3_000;

/** Placeholder lines while the content loads. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={words.frame.loading} class="space-y-5 p-4">
      {isSlow && <p class="text-sm text-soft">{words.frame.stillLoading}</p>}
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="space-y-2">
          <div class="skeleton h-3 w-2/5" />
          <div class="skeleton h-3 w-4/5" />
        </div>
      ))}
    </div>
  );
}

/** A page of Account or Server: title, description, actions and content. */
export function PageBody({
  title,
  about,
  actions,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    // relative: what only screen readers see is positioned, and would make the whole document scroll instead.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section aria-label={title} tabIndex={0} class="relative h-full overflow-y-auto outline-offset-[-2px]">
      <div class="mx-auto max-w-4xl px-5 py-6 sm:px-8 sm:py-8">
        <header class="mb-6 flex flex-wrap items-start justify-between gap-3">
          <div class="min-w-0 sm:flex-1 sm:basis-72">
            <h1 class="text-xl font-semibold tracking-tight">{title}</h1>
            {about && <p class="mt-1 max-w-prose break-words text-soft">{about}</p>}
          </div>
          <div class="flex gap-2">{actions}</div>
        </header>
        {children}
      </div>
    </section>
  );
}
