import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { RefusedMail } from '../doors/dashboard/wire.ts';
import type { Page } from '../platform/http/wire.ts';
import { call, query } from './api.ts';
import { attempt } from './data.ts';
import { fullTime, shortTime } from './format.ts';
import { Empty, Skeleton } from './parts.tsx';
import { Rows } from './rows.tsx';

/** What each reason means for who misses the mail, and what to do. */
const meanings: Record<RefusedMail['reason'], string> = {
  unknown_recipient: 'No inbox has this address. Compare it letter by letter, or make the inbox.',
  relay_refused: 'The domain is not one that this server takes mail for.',
  domain_put_off: 'The domain’s DNS records are gone; senders try again for 5 days. See Domains.',
  domain_stopped: 'The domain is not verified any more. See Domains.',
  account_put_off: 'The account is suspended; senders try again for 5 days from then.',
  account_stopped: 'The account has been suspended for more than 5 days.',
  reports_only: 'Only delivery reports come to that address; this was none.',
  too_many_recipients: 'The mail had too many recipients at once; the sender tries the others again.',
  too_large: 'The mail is larger than this server takes.',
  looping: 'The mail goes round in circles: a forwarding rule sends it back.',
  bare_dot_line: 'The sender’s program breaks lines wrongly, in a way that is used to smuggle mail.',
  store_full: 'The disk was full or nearly so; the sender tries again.',
  fault: 'Something failed on this server; the sender tries again. The log tells more.',
  server_full: 'All SMTP connections of this server were in use; the sender tries again.',
  made_room: 'The connection was idle and made room for another; the sender tries again.',
  shutting_down: 'The server was restarting; the sender tries again.',
  too_many_connections: 'Too many connections from this sender at once; it tries again.',
  too_many_connects: 'Too many new connections from this sender in a minute; it tries again.',
  too_many_faults: 'Too many wrong commands or unknown recipients in one connection.',
  session_too_long: 'The connection took too long.',
  too_slow: 'The mail came too slowly.',
};

/** What SMTP refused, newest first. */
export function Diary({ path, empty }: { path: string; empty: ComponentChildren }) {
  const [entries, setEntries] = useState<RefusedMail[] | undefined>(undefined);
  const [cursor, setCursor] = useState<string | null>(null);
  const load = useCallback(
    async (after: string | null) => {
      const page = await call<Page<RefusedMail>>('GET', path + query({ cursor: after }));
      setEntries((before) => [...(after === null ? [] : (before ?? [])), ...page.data]);
      setCursor(page.pagination.next_cursor);
    },
    [path],
  );
  useEffect(() => void attempt(() => load(null)), [load]);
  if (!entries) {
    return (
      <div class="card">
        <Skeleton rows={3} />
      </div>
    );
  }
  if (entries.length === 0) {
    return (
      <div class="card">
        <Empty icon="check" title="Nothing was refused">
          {empty}
        </Empty>
      </div>
    );
  }
  return (
    <>
      <Rows label="Refused mail">
        {entries.map((entry) => (
          <EntryRow key={entry.id} of={entry} />
        ))}
      </Rows>
      {cursor !== null && (
        <button type="button" class="button mt-4" onClick={() => void attempt(() => load(cursor))}>
          Earlier ones
        </button>
      )}
    </>
  );
}

function EntryRow({ of: entry }: { of: RefusedMail }) {
  const { recipient, envelope_from, client_address, helo, times, code, reply, reason, at, first_at } = entry;
  const isTemporary = code < 500;
  return (
    <li class="px-4 py-3">
      <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <span class={`tag font-mono ${isTemporary ? 'tag-warn' : 'tag-danger'}`}>{code}</span>
        <span class="min-w-0 font-medium break-all">{recipient || 'before a recipient was named'}</span>
        {times > 1 && <span class="tag">{times.toLocaleString()} times</span>}
        <time
          class="ml-auto text-xs text-faint"
          dateTime={at}
          title={times > 1 ? `${fullTime(first_at)} to ${fullTime(at)}` : fullTime(at)}
        >
          {shortTime(at)}
        </time>
      </div>
      <p class="mt-1">{meanings[reason] ?? reply}</p>
      <p class="mt-1 text-sm break-words text-soft">
        from {envelope_from || 'nobody (a report)'} by {client_address}
        {helo && ` (${helo})`}: <span class="font-mono text-xs">{`${code} ${reply}`}</span>
      </p>
    </li>
  );
}
