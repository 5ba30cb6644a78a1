import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { readHost } from '../format.ts';
import { Icon } from '../icons.tsx';
import { CopyButton } from '../parts.tsx';
import { copy } from '../toast.tsx';
import { percent } from '../words/amounts.ts';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { CopyValue } from './copy-value.tsx';
import { askToOpen } from './open-link.tsx';

/** What people open a message for: its code and its magic link. */

/** A candidate below this is most likely not a code. */
const LIKELY = 0.3;
/** Below this the code is shown with a warning. */
const SURE = 0.8;

export function CodeCard({ message }: { message: OpenedMessage }) {
  const t = words.reading.code;
  const { otp, otp_confidence, otp_context, otp_candidates } = message;
  if (otp === null) {
    const likely = otp_candidates.filter(({ confidence }) => confidence >= LIKELY);
    if (likely.length === 0) return null;
    return (
      <section class="card px-4 py-3" aria-label={t.possible}>
        <p class="mb-1.5 text-sm text-soft">{t.possible}</p>
        <Candidates list={likely} />
      </section>
    );
  }
  return (
    <section class="card overflow-hidden" aria-label={t.title}>
      <div class="flex flex-wrap items-center justify-between gap-x-5 gap-y-2 px-4 py-3.5 sm:px-5 sm:py-4">
        <button
          type="button"
          class="-mx-1 rounded-md px-1 font-mono text-code font-semibold tracking-[0.08em] break-all hover:bg-tint hover:text-tintink"
          title={`${words.frame.help.copyCode} (c)`}
          aria-label={words.list.copyCode(otp)}
          onClick={() => void copy(otp, words.list.code(otp))}
        >
          {otp}
        </button>
        <div class="order-last w-full sm:order-none sm:w-auto sm:flex-1">
          <Confidence value={otp_confidence} />
        </div>
        <CopyButton text={otp} what={words.list.code(otp)} label={words.frame.help.copyCode} />
      </div>
      {otp_context && (
        <div class="border-t border-line px-4 py-2.5 text-sm text-soft sm:px-5">
          <Context text={otp_context} code={otp} />
        </div>
      )}
    </section>
  );
}

/** A bar; a low confidence is also put into words. */
function Confidence({ value }: { value: number }) {
  return (
    <div class="flex items-center gap-x-2.5 text-sm sm:block">
      {value < SURE && <div class="text-warn">{words.reading.code.low}</div>}
      <Bar value={value} class="w-20 sm:mt-1" />
    </div>
  );
}

/** The text around the code. */
function Context({ text, code }: { text: string; code: string }) {
  const at = text.indexOf(code);
  const marked = (
    <>
      {text.slice(0, at)}
      <mark class="rounded-sm bg-tint px-0.5 font-mono font-semibold text-tintink">{code}</mark>
      {text.slice(at + code.length)}
    </>
  );
  return (
    <p dir="auto" class="wrap-anywhere">
      {fill(words.reading.code.quoted, { text: at < 0 ? text : marked })}
    </p>
  );
}

/** Below this a candidate is not listed. */
const POSSIBLE = 0.01;

/** The candidates for the code with their confidence, best first. */
export function Candidates({ list }: { list: OpenedMessage['otp_candidates'] }) {
  const possible = list.filter(({ confidence }) => confidence >= POSSIBLE);
  if (possible.length === 0) return <p class="text-sm text-soft">{words.reading.code.none}</p>;
  return (
    <ul class="space-y-1">
      {possible.map(({ code, confidence, context }) => (
        <li key={code + context} class="flex items-center gap-3 text-sm">
          <CopyValue text={code} what={words.list.code(code)} class="flex-none font-mono font-semibold" />
          <Bar value={confidence} class="w-12" />
          <span class="min-w-0 flex-1 truncate text-soft" dir="auto" title={context}>
            {context}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Bar({ value, class: more }: { value: number; class: string }) {
  const rounded = Math.round(value * 100);
  const name = words.reading.code.confidence(percent(rounded / 100));
  return (
    <div
      role="img"
      aria-label={name}
      title={name}
      class={`h-1 flex-none overflow-hidden rounded-full bg-line ${more}`}
    >
      <div
        class={`h-full rounded-full ${value < SURE ? 'bg-warn' : 'bg-accent'}`}
        style={{ width: `${rounded}%` }}
      />
    </div>
  );
}

export function LinkCard({ message: { magic_link } }: { message: OpenedMessage }) {
  if (magic_link === null) return null;
  const t = words.reading.link;
  return (
    <section class="card flex flex-wrap items-center gap-3 px-4 py-3 sm:px-5" aria-label={t.title}>
      <span class="grid size-9 flex-none place-items-center rounded-full bg-tint text-tintink">
        <Icon name="link" />
      </span>
      <div class="min-w-0 flex-1 basis-40">
        <div class="font-semibold break-all">{readHost(magic_link)}</div>
        <div class="truncate font-mono text-xs text-soft" title={magic_link}>
          <bdi>{magic_link}</bdi>
        </div>
      </div>
      <CopyButton text={magic_link} what={t.link} label={t.copy} />
      <button type="button" class="button button-main" onClick={() => askToOpen(magic_link)}>
        {t.open}
      </button>
    </section>
  );
}
