import { useState } from 'preact/hooks';
import type { ChecksView } from '../../features/checks/wire.ts';
import { dayName } from '../format.ts';
import { Icon } from '../icons.tsx';
import { percent } from '../words/amounts.ts';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';

type Html = ChecksView['html'];
type Warning = Html['warnings'][number];

/** Warnings shown at first: those with the least support. */
const SHOWN = 8;
/** Minimum scores of a mail that is fine, and of one that is nearly so. */
const GOOD = 90;
const FAIR = 75;

/** The score, and each feature that some email clients lack. */
export function HtmlSupport({ html, hasHtml }: { html: Html; hasHtml: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const t = words.checks.support;
  const { warnings } = html;
  const shown = isWhole ? warnings : warnings.slice(0, SHOWN);
  return (
    <section class="card overflow-hidden" aria-label={t.title}>
      <div class="flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-4 sm:px-5">
        <Score value={html.score} />
        <div class="min-w-48 flex-1">
          <h3 class="text-base font-semibold">{headline(html, hasHtml)}</h3>
          <p class="mt-0.5 text-sm text-soft">
            {fill(t.data, {
              site: <Site />,
              date: <span class="whitespace-nowrap">{dayName(html.data_date)}</span>,
            })}
          </p>
        </div>
        {warnings.length > 0 && <Legend />}
      </div>
      {shown.length > 0 && (
        <div class="divide-y divide-line border-t border-line">
          {shown.map((warning) => (
            <WarningRow key={warning.feature} warning={warning} />
          ))}
        </div>
      )}
      {warnings.length > shown.length && (
        <div class="border-t border-line px-3 py-2">
          <button type="button" class="button button-quiet" onClick={() => setIsWhole(true)}>
            {t.all(warnings.length)}
          </button>
        </div>
      )}
    </section>
  );
}

const Site = () => (
  <a
    class="text-accent underline underline-offset-2"
    href="https://www.caniemail.com/"
    target="_blank"
    rel="noreferrer"
  >
    caniemail.com
  </a>
);

function headline({ score, warnings }: Html, hasHtml: boolean): string {
  const t = words.checks.support.headlines;
  if (!hasHtml) return t.plain;
  if (warnings.length === 0) return t.all;
  if (score >= GOOD) return t.most;
  return score >= FAIR ? t.some : t.many;
}

function Score({ value }: { value: number }) {
  const colour = value >= GOOD ? 'text-accent' : value >= FAIR ? 'text-warn' : 'text-danger';
  const around = 2 * Math.PI * 34;
  return (
    <div
      role="img"
      aria-label={words.checks.support.score(value)}
      class={`relative size-24 flex-none ${colour}`}
    >
      <svg viewBox="0 0 80 80" class="size-full -rotate-90" aria-hidden="true">
        <circle cx="40" cy="40" r="34" fill="none" stroke="var(--color-line)" stroke-width="6" />
        <circle
          cx="40"
          cy="40"
          r="34"
          fill="none"
          stroke="currentColor"
          stroke-width="6"
          stroke-linecap="round"
          stroke-dasharray={`${(value / 100) * around} ${around}`}
        />
      </svg>
      <span class="absolute inset-0 grid place-items-center text-[1.75rem] font-semibold tracking-tight tabular-nums">
        {value}
      </span>
    </div>
  );
}

function Legend() {
  const t = words.checks.support;
  return (
    <ul class="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
      {[
        ['bg-accent', t.supported],
        ['bg-warn', t.partly],
        ['bg-danger', t.notSupported],
      ].map(([colour, text]) => (
        <li key={text} class="flex items-center gap-1.5">
          <span class={`size-2 rounded-full ${colour}`} />
          {text}
        </li>
      ))}
    </ul>
  );
}

function WarningRow({ warning }: { warning: Warning }) {
  const { feature, where, support, clients, partly, url } = warning;
  const t = words.checks.support;
  const [, line = '', snippet = ''] = /^line (\d+): (.*)$/s.exec(where) ?? [];
  return (
    <details class="group">
      <summary class="flex list-none items-center gap-3 px-4 py-2.5 hover:bg-hover sm:px-5 [&::-webkit-details-marker]:hidden">
        <span class="min-w-0 flex-1">
          <span class="block text-sm font-medium wrap-anywhere">{feature}</span>
          <span class="flex gap-2 text-xs text-soft">
            <span class="flex-none tabular-nums">{words.checks.line(line)}</span>
            <code class="min-w-0 truncate font-mono" title={snippet}>
              {snippet}
            </code>
          </span>
        </span>
        <SupportBar of={support} />
        <Icon name="forward" class="size-4 text-faint transition-transform group-open:rotate-90" />
      </summary>
      <div class="grid gap-2 px-4 pt-1 pb-3.5 text-sm sm:px-5">
        <Clients label={t.notSupportedBy} list={clients} />
        <Clients label={t.partlyBy} list={partly} />
        {url && (
          <p>
            <a
              class="inline-flex text-accent underline-offset-2 hover:underline items-center gap-1"
              href={url}
              target="_blank"
              rel="noreferrer"
              aria-label={t.notesOf(feature)}
            >
              {t.notes}
              <Icon name="open" class="size-3.5" />
            </a>
          </p>
        )}
      </div>
    </details>
  );
}

function SupportBar({ of: { full, partial, none } }: { of: Warning['support'] }) {
  const shares = words.checks.support.shares(
    percent(full / 100),
    percent(partial / 100),
    percent(none / 100),
  );
  return (
    <span class="flex w-24 flex-none items-center gap-2 sm:w-44">
      <span
        role="img"
        aria-label={shares}
        title={shares}
        class="flex h-1.5 flex-1 gap-px overflow-hidden rounded-full bg-line"
      >
        <span class="bg-accent" style={{ width: `${full}%` }} />
        <span class="bg-warn" style={{ width: `${partial}%` }} />
        <span class="bg-danger" style={{ width: `${none}%` }} />
      </span>
      <span class="w-9 text-right text-xs text-soft tabular-nums">{percent(Math.floor(full) / 100)}</span>
    </span>
  );
}

/** `Outlook (Windows)` and `Outlook (iOS)` are one row: Outlook, with both. */
function Clients({ label, list }: { label: string; list: readonly string[] }) {
  if (list.length === 0) return null;
  const families = new Map<string, string[]>();
  for (const client of list) {
    const [, family = client, platform = ''] = /^(.*) \((.*)\)$/.exec(client) ?? [];
    families.set(family, [...(families.get(family) ?? []), platform]);
  }
  return (
    <div>
      <h4 class="text-xs text-faint">{label}</h4>
      <ul class="mt-0.5 flex flex-wrap gap-x-4 gap-y-0.5">
        {[...families].map(([family, platforms]) => (
          <li key={family}>
            {family} <span class="text-xs text-soft">{platforms.join(', ')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
