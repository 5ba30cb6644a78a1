/** Clients that continue from the last message they saw (docs/api-v1.md), and a record of what they saw. */
import type { RunningAppliance } from '../../start.ts';
import { type Box, makeUrl } from './doors.ts';
import { SseClient } from './sse-client.ts';

export interface Watching {
  readonly seen: string[];
  /** Where it continues: the last id, or the one in bye. */
  readonly since: () => string;
  /** Disconnects abruptly, and reconnects. */
  drop(): void;
  /** Ends for good. */
  end(): Promise<void>;
}

/** A series of waits, each since the last id. */
export function watchByWait(where: RunningAppliance, box: Box, since: string): Watching {
  const seen: string[] = [];
  let stopped = false;
  let hungUp = new AbortController();
  const headers = { authorization: `Bearer ${box.holder.key}` };
  const loop = (async () => {
    while (!stopped) {
      const url = makeUrl(where, 'wait', box, { require: 'message', since });
      // A client that disconnects may have been answered without seeing it, so it continues as before.
      const message = await fetch(url, { headers, signal: hungUp.signal })
        .then(async (reply) => (reply.status === 200 ? ((await reply.json()) as Answer).data : null))
        .catch(() => null);
      hungUp = hungUp.signal.aborted ? new AbortController() : hungUp;
      if (!message) continue;
      seen.push(message.id);
      since = message.id;
    }
  })();
  return {
    seen,
    since: () => since,
    drop: () => hungUp.abort(),
    async end() {
      stopped = true;
      hungUp.abort();
      await loop;
    },
  };
}

interface Answer {
  data: { id: string };
}

/** A series of streams, each with the last id as Last-Event-ID or, before the first, with the one in bye. */
export function watchByStream(where: RunningAppliance, box: Box, since: string): Watching {
  const seen: string[] = [];
  let stopped = false;
  let client: SseClient | undefined;
  let connections = 0;
  const loop = (async () => {
    while (!stopped) {
      const url = makeUrl(where, 'stream', box, {
        require: 'message',
        since: connections++ % 2 ? '0' : since,
      });
      const headers = { authorization: `Bearer ${box.holder.key}`, 'last-event-id': since };
      client = await SseClient.open(url, headers);
      for (let event = await client.next(); event && !stopped; event = await client.next()) {
        if (event.event === 'bye') since = (JSON.parse(event.data ?? '{}') as { since: string }).since;
        if (event.event !== 'message' || !event.id) continue;
        seen.push(event.id);
        since = event.id;
      }
      client.close();
    }
  })();
  return {
    seen,
    since: () => since,
    drop: () => client?.close(),
    async end() {
      stopped = true;
      client?.close();
      await loop;
    },
  };
}
