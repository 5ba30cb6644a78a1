import type { MessageView } from '../../../features/messages/wire.ts';
import { writePlainJson } from '../../../platform/core/plain-json.ts';
import { formatListedArrival } from '../arrival-lines.ts';
import { type LocalCommand, OperatorError } from '../command.ts';
import { mayColour } from '../paint.ts';
import { readEvents } from './events.ts';
import { BUSY, makeRemote, type Remote, Unreachable } from './remote.ts';

/** Pause before the next request to a server that has no free slot or is restarting. */
const TRY_AGAIN_MS = 500;
/** The server sends something every 10 seconds (docs/decisions.md, Wait and stream). After this, the connection is dead. */
const SILENCE_MS_MAX = 30_000;
const STREAM = '/api/v1/messages/stream?require=message';

export const watch: LocalCommand = {
  name: 'watch',
  meaning: 'print a line for each message that arrives, until interrupted',
  takesSettings: 'client',
  examples: ['postern watch', 'postern watch --json | jq -r .subject'],
  async runHere({ json, loaded }) {
    const remote = makeRemote(loaded.settings);
    const colour = mayColour(process.stdout);
    const show = (message: MessageView) => {
      if (json) return `${writePlainJson(message)}\n`;
      return formatListedArrival(message, colour, 'time');
    };
    const interrupted = new AbortController();
    const stop = () => interrupted.abort();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    try {
      await watchUntil(remote, (message) => void process.stdout.write(show(message)), interrupted.signal);
    } catch (fault) {
      if (!interrupted.signal.aborted) throw fault;
    }
    return 0;
  },
};

/** Watches until stopped. A new connection continues where the last one ended, so that nothing is missed or shown twice. */
async function watchUntil(remote: Remote, show: (message: MessageView) => void, stopped: AbortSignal) {
  // Before the first message there is no id to continue from, so the server reports its current position.
  const now = await remote.ask('/api/v1/messages/wait?require=message', { method: 'HEAD', signal: stopped });
  let since = now.headers.get('x-wait-since');
  let isReported = false;
  while (!stopped.aborted) {
    const reason = await watchOnce(remote, since, stopped, (seen, message) => {
      since = seen;
      isReported = false;
      if (message) show(message);
    });
    if (reason === null || stopped.aborted) continue;
    if (!isReported) process.stderr.write(`${reason} Trying again.\n`);
    isReported = true;
    await Bun.sleep(TRY_AGAIN_MS);
  }
}

/** Watches over one connection until it ends. Returns what went wrong; null if the server ended it in order. */
async function watchOnce(
  remote: Remote,
  since: string | null,
  stopped: AbortSignal,
  see: (since: string, message: MessageView | null) => void,
): Promise<string | null> {
  const silence = new AbortController();
  const listen = () => setTimeout(() => silence.abort(), SILENCE_MS_MAX);
  let timer = listen();
  try {
    const signal = AbortSignal.any([stopped, silence.signal]);
    const headers = new Headers(since === null ? {} : { 'last-event-id': since });
    const answer = await remote.ask(STREAM, { headers, signal, allowed: BUSY });
    if (!answer.ok || !answer.body) return `The server can't stream messages right now (${answer.status}).`;
    const body = noteChunks(answer.body, () => {
      clearTimeout(timer);
      timer = listen();
    });
    for await (const { event, id, data } of readEvents(body)) {
      if (event === 'message' && id !== null) see(id, JSON.parse(data));
      else if (event === 'bye') {
        see((JSON.parse(data) as { since: string }).since, null);
        return null;
      }
    }
    return 'The connection was lost.';
  } catch (fault) {
    if (stopped.aborted) return null;
    if (fault instanceof Unreachable) return fault.message;
    // The server refused the request. Any other error is a lost connection, for which fetch throws various errors.
    if (fault instanceof OperatorError) throw fault;
    return 'The connection was lost.';
  } finally {
    clearTimeout(timer);
  }
}

/** Passes the chunks through, and calls `note` for each. */
async function* noteChunks(body: AsyncIterable<Uint8Array>, note: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    note();
    yield chunk;
  }
}
