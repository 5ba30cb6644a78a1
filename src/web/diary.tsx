import type { ComponentChildren } from 'preact';
import type { RefusedMail } from '../doors/dashboard/wire.ts';
import { fullTime } from './format.ts';
import { LoadedRows, LoadMore, usePages } from './pages.tsx';
import { ShortTime } from './parts.tsx';
import { EmptyCard, Rows } from './rows.tsx';
import { number } from './words/amounts.ts';
import { fill } from './words/fill.ts';
import { words } from './words/words.ts';

/** Mail that SMTP rejected, newest first. */
export function Diary({ path, empty }: { path: string; empty: ComponentChildren }) {
  const pages = usePages<RefusedMail>(path);
  return (
    <>
      <LoadedRows of={pages}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyCard icon="check" title={words.diary.none}>
              {empty}
            </EmptyCard>
          ) : (
            <Rows label={words.diary.title}>
              {entries.map((entry) => (
                <EntryRow key={entry.id} of={entry} />
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={pages} />
    </>
  );
}

function EntryRow({ of: entry }: { of: RefusedMail }) {
  const { recipient, envelope_from, client_address, helo, times, code, reply, reason, at, first_at } = entry;
  const t = words.diary;
  const isTemporary = code < 500;
  return (
    <li class="px-4 py-3">
      <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <span class={`tag font-mono ${isTemporary ? 'tag-warn' : 'tag-danger'}`}>{code || t.dropped}</span>
        <span class="min-w-0 font-medium break-all">{recipient || t.noRecipient}</span>
        {times > 1 && <span class="tag">{number(times)}×</span>}
        <ShortTime
          at={at}
          class="ml-auto"
          title={times > 1 ? t.span(fullTime(first_at), fullTime(at)) : fullTime(at)}
        />
      </div>
      <p class="mt-1">{t.meanings[reason] ?? reply}</p>
      <p class="mt-1 text-sm break-words text-soft">
        {fill(t.from, {
          from: envelope_from || t.report,
          client: helo ? `${client_address} (${helo})` : client_address,
          reply: <span class="font-mono text-xs">{code > 0 ? `${code} ${reply}` : reply}</span>,
        })}
      </p>
    </li>
  );
}
