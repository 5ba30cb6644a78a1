import type { ComponentChildren, ComponentProps } from 'preact';
import { ActionButton } from './action-button.tsx';
import { attempt, type Loading } from './data.ts';
import { Icon } from './icons.tsx';
import { Empty, Skeleton } from './parts.tsx';
import { Link } from './router.tsx';
import { words } from './words/words.ts';

/** Components for pages that are lists and forms. */

/** The empty state of a list, in the list's frame. */
export function EmptyCard(props: ComponentProps<typeof Empty>) {
  return (
    <div class="card">
      <Empty {...props} />
    </div>
  );
}

/** The link from the page of one thing back to the list of all. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Link to={to} class="text-accent underline-offset-2 hover:underline">
      {children}
    </Link>
  );
}

/** The main button of a page whose things people make: it opens the form for a new one. */
export function AddButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" class="button button-main" onClick={onClick}>
      <Icon name="plus" />
      {children}
    </button>
  );
}

/** A list in a frame. */
export function Rows({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <ul aria-label={label} class="card divide-y divide-line">
      {children}
    </ul>
  );
}

/** A row: content on the left, actions on the right; stacked on a phone. */
export function Row({ children, actions }: { children: ComponentChildren; actions?: ComponentChildren }) {
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-1 basis-48">{children}</div>
      {actions && <div class="flex max-w-full flex-none flex-wrap items-center gap-1">{actions}</div>}
    </li>
  );
}

/** A section of a page. */
export function Part({
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
    <section class="mb-8">
      <div class="mb-2.5 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 class="font-semibold">{title}</h2>
          {about && <p class="mt-0.5 max-w-prose text-sm text-soft">{about}</p>}
        </div>
        {actions && <div class="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

interface SwitchPartProps {
  title: string;
  /** What it means that it is on, or off. */
  about: string;
  isOn: boolean;
  onTurn: (isOn: boolean) => Promise<unknown>;
  reload: () => Promise<void>;
  children?: ComponentChildren;
}

/** A section of a page with something that is on or off. */
export function SwitchPart({ title, about, isOn, onTurn, reload, children }: SwitchPartProps) {
  const turn = async () => {
    if (await attempt(() => onTurn(!isOn))) await reload();
  };
  return (
    <Part
      title={title}
      about={about}
      actions={<ActionButton onRun={turn}>{isOn ? words.frame.turnOff : words.frame.turnOn}</ActionButton>}
    >
      {children}
    </Part>
  );
}

interface SearchProps {
  label: string;
  /** What can be searched for; by default the label. */
  hint?: string;
  value: string;
  onInput: (value: string) => void;
}

/** Searches the list of a page. */
export function SearchField({ label, hint = label, value, onInput }: SearchProps) {
  return (
    <input
      class="field sm:max-w-72"
      type="search"
      aria-label={label}
      placeholder={hint}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

/** Shows a skeleton until the data is loaded, or the error and a way to try again. */
export function Loaded<Data>({
  of: { data, fault, reload },
  rows = 3,
  children,
}: {
  of: Pick<Loading<Data>, 'data' | 'fault'> & { reload: () => unknown };
  rows?: number;
  children: (data: Data) => ComponentChildren;
}) {
  if (data !== undefined) return <>{children(data)}</>;
  if (fault !== undefined) {
    return (
      <Empty icon="warn" title={fault}>
        <button type="button" class="button" onClick={() => void reload()}>
          {words.list.tryAgain}
        </button>
      </Empty>
    );
  }
  return (
    <div class="card">
      <Skeleton rows={rows} />
    </div>
  );
}

/** An error about a whole form. */
export function Fault({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <p role="alert" class="rounded-md bg-dangertint px-3 py-2 text-sm text-danger">
      {children}
    </p>
  );
}

/** Names and values. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="card grid grid-cols-1 gap-x-6 px-4 py-1 sm:grid-cols-[minmax(13rem,auto)_minmax(0,1fr)] sm:items-center">
      {of.map(([name, value]) => (
        <div key={name} class="contents">
          <dt class="pt-2 text-sm text-soft sm:py-2">{name}</dt>
          <dd class="min-w-0 break-words pb-2 sm:py-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
