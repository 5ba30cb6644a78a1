import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { RefusedMail } from '../doors/dashboard/wire.ts';
import type { PageView } from '../platform/http/wire.ts';
import { call, query } from './api.ts';
import { attempt } from './data.ts';
import { fullTime, shortTime } from './format.ts';
import { Empty, Skeleton } from './parts.tsx';
import { Rows } from './rows.tsx';

/** What each reason means for someone who misses a message, and what to do. */
const meanings: Record<RefusedMail['reason'], string> = {
  unknown_recipient: 'No inbox has this address. Check the spelling, or create the inbox.',
  foreign_network: 'The client’s network may not use this trap',
  relay_refused: 'This server does not accept mail for that domain.',
  domain_put_off: 'The domain’s DNS records are missing. Senders will retry for a few days. See Domains.',
  domain_stopped: 'The domain is no longer verified. See Domains.',
  account_put_off: 'The account is suspended. Senders will retry for a few days.',
  account_stopped: 'The account has been suspended for too long to defer mail.',
  trap_full: 'The trap has as many inboxes as your plan allows. Delete some.',
  trap_closed: 'The API key was revoked, or the account was suspended, during the connection.',
  wrong_key: 'The SMTP password is not an API key of this server.',
  not_a_trap: 'The API key belongs to an account that is not a trap.',
  account_suspended: 'The API key belongs to an account that is not active.',
  auth_in_clear: 'The client tried to sign in without TLS. Turn on STARTTLS or TLS there.',
  auth_in_mail: 'The client tried to sign in while it was sending a message.',
  too_many_wrong_keys: 'Too many wrong SMTP passwords from this address.',
  reports_only: 'That address only accepts delivery reports, and this was not one.',
  too_many_recipients: 'Too many recipients in one message. The sender will retry the rest.',
  too_large: 'The message exceeds the size limit of this server.',
  looping: 'The message is in a mail loop. Look for a forwarding rule that sends it back.',
  bare_dot_line: 'The message has invalid line endings, which can be used for SMTP smuggling.',
  store_full: 'The disk was almost full. The sender will retry.',
  fault: 'An internal error. The sender will retry. See the log for details.',
  server_full: 'All SMTP connections were in use. The sender will retry.',
  made_room: 'The connection was closed to make room for another. The sender will retry.',
  shutting_down: 'The server was shutting down. The sender will retry.',
  too_many_connections: 'Too many simultaneous connections from this sender. It will retry.',
  too_many_connects: 'Too many new connections per minute from this sender. It will retry.',
  too_many_faults: 'Too many invalid commands or unknown recipients in one connection.',
  session_too_long: 'The connection stayed open too long.',
  fault_on_demand: 'An SMTP fault rule of the trap asked for this.',
  too_slow: 'The message arrived too slowly.',
};

/** Mail that SMTP rejected, newest first. */
export function Diary({ path, empty }: { path: string; empty: ComponentChildren }) {
  const [entries, setEntries] = useState<RefusedMail[] | undefined>(undefined);
  const [cursor, setCursor] = useState<string | null>(null);
  const load = useCallback(
    async (after: string | null) => {
      const page = await call<PageView<RefusedMail>>('GET', path + query({ cursor: after }));
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
        <Empty icon="check" title="No rejected mail">
          {empty}
        </Empty>
      </div>
    );
  }
  return (
    <>
      <Rows label="Rejected mail">
        {entries.map((entry) => (
          <EntryRow key={entry.id} of={entry} />
        ))}
      </Rows>
      {cursor !== null && (
        <button type="button" class="button mt-4" onClick={() => void attempt(() => load(cursor))}>
          Load more
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
        <span class={`tag font-mono ${isTemporary ? 'tag-warn' : 'tag-danger'}`}>{code || 'dropped'}</span>
        <span class="min-w-0 font-medium break-all">{recipient || 'No recipient given'}</span>
        {times > 1 && <span class="tag">{times.toLocaleString()}×</span>}
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
        From {envelope_from || '<> (delivery report)'} via {client_address}
        {helo && ` (${helo})`}: <span class="font-mono text-xs">{code > 0 ? `${code} ${reply}` : reply}</span>
      </p>
    </li>
  );
}
