/** Wait and stream behind one interface, so that one suite can test both, and mail that arrives without SMTP. */

import { findInboxById } from '../../../src/features/inboxes/sql.ts';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { type Delivery, type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { storedArrival } from '../../store-state.ts';
import { until } from '../../until.ts';
import { SseClient } from './sse-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
export type WireMessage = any;

export interface Box {
  id: string;
  no: number;
  address: string;
  holder: Holder;
}

export interface Answered {
  status: number;
  headers: Headers;
  /** `error` of the envelope, if refused. */
  error: WireMessage;
}

/** A pending request to a wait or a stream. */
export interface Listening {
  answered: Promise<Answered>;
  /** The first message; null when it ended without one. */
  first(): Promise<WireMessage>;
  /** How it ended without a message. */
  ended(): Promise<'quiet' | 'deleted'>;
  hangUp(): void;
}

export type Query = Record<string, string | number | boolean>;

export interface Door {
  name: 'wait' | 'stream';
  /** `query` as text goes into the URL unchanged. */
  ask(where: RunningAppliance, box: Box, query?: Query | string, headers?: Record<string, string>): Listening;
}

export function makeUrl(
  where: { url: string },
  door: Door['name'],
  box: { id: string },
  query: Query | string = {},
) {
  const text =
    typeof query === 'string'
      ? query
      : new URLSearchParams(
          Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
        ).toString();
  const path = door === 'wait' ? 'messages/wait' : 'stream';
  return `${where.url}/api/v1/inboxes/${box.id}/${path}${text === '' ? '' : `?${text}`}`;
}

const bearer = (box: Box) => ({ authorization: `Bearer ${box.holder.key}` });

export const waitDoor: Door = {
  name: 'wait',
  ask(where, box, query, headers) {
    const hungUp = new AbortController();
    const reply = (async () => {
      const init = { headers: { ...bearer(box), ...headers }, signal: hungUp.signal };
      const response = await fetch(makeUrl(where, 'wait', box, query), init);
      const text = await response.text();
      return { response, json: text === '' ? undefined : JSON.parse(text) };
    })();
    reply.catch(() => {});
    const answered = reply.then(({ response: { status, headers }, json }) => ({
      status,
      headers,
      error: json?.error,
    }));
    answered.catch(() => {});
    return {
      answered,
      first: async () => (await reply).json?.data ?? null,
      async ended() {
        const { response, json } = await reply;
        if (response.status === 204) return 'quiet';
        if (response.status === 404) return 'deleted';
        throw new Error(`a wait ended with ${response.status} ${JSON.stringify(json)}`);
      },
      hangUp: () => hungUp.abort(),
    };
  },
};

export const streamDoor: Door = {
  name: 'stream',
  ask(where, box, query, headers) {
    // As in a wait: only codes, unless the query says otherwise.
    const asked = typeof query === 'string' ? query : { require: 'otp', ...query };
    const opening = SseClient.open(makeUrl(where, 'stream', box, asked), { ...bearer(box), ...headers });
    opening.catch(() => {});
    const named = async (name: string) => {
      const client = await opening;
      for (let event = await client.next(); event; event = await client.next()) {
        if (event.event === name) return JSON.parse(event.data ?? 'null');
        if (event.event === 'bye') return null;
      }
      throw new Error('a stream ended without bye');
    };
    const answered = opening.then(({ status, headers, error }) => ({ status, headers, error }));
    answered.catch(() => {});
    return {
      answered,
      first: () => named('message'),
      ended: async () => ((await named('bye')).reason === 'deleted' ? 'deleted' : 'quiet'),
      hangUp: () => void opening.then((client) => client.close()).catch(() => {}),
    };
  },
};

export const doors = [waitDoor, streamDoor];

/** No rate limits, and enough slots for a whole file. A test overrides what it is about. */
export function startWaiting(settings: Record<string, string> = {}, clock?: Clock) {
  return startAppliance({
    settings: {
      limits: 'off',
      wait_slots: '4000',
      wait_slots_free: '4000',
      plan_business_concurrent_waits: '4000',
      ...settings,
    },
    ...(clock ? { clock } : {}),
  });
}

export async function newBox(where: RunningAppliance, holder?: Holder): Promise<Box> {
  const owner = holder ?? (await where.holder());
  const { id, address } = await where.inbox(owner);
  const { no } = findInboxById(where.services.store, id)!;
  return { id, no, address, holder: owner };
}

/** A message with a code arrives as from ingest: stored, then announced. Returns its id. */
export async function arrive(where: RunningAppliance, box: Box, mail: Delivery = {}): Promise<string> {
  const { services } = where;
  const summary = { otp: '482913', otp_confidence: 0.9, magic_link: null, subject: 'A code', ...mail };
  const id = await where.deliver(box.address, summary);
  const stored = storedArrival(where, id);
  if (!stored) return id;
  services.arrivals.announce({
    inbox_no: box.no,
    account_no: box.holder.account.no,
    inbox_id: box.id,
    message_id: id,
    envelope_recipient: box.address,
    ...stored,
    subject: summary.subject,
    otp: summary.otp,
    magic_link: summary.magic_link,
    hasDelivery: true,
    isChecked: false,
  });
  return id;
}

/** Waits until this many are parked. */
export function parked(where: RunningAppliance, count: number): Promise<void> {
  return until(() => where.services.waits.size === count);
}

/**
 * Waits until nothing waits, no slot is held, and no claim is being undone: a wait whose client left ends before that
 * is written.
 */
export function allGone(where: RunningAppliance): Promise<void> {
  const { waits, store } = where.services;
  return until(
    () =>
      waits.size === 0 &&
      waits.slots.size === 0 &&
      waits.beingClaimed.size === 0 &&
      store.writesWaiting === 0,
  );
}
