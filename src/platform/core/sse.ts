/* Server-Sent Events on the wire (WHATWG HTML, 9.2). They are bytes, because Elysia would add a prefix to strings. */

const encoder = new TextEncoder();

/** Formats an event. `data` becomes one line of JSON. */
export function formatEvent(name: string, data: unknown, id?: string): Uint8Array {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return encoder.encode(`event: ${name}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
}

export function formatComment(text: string): Uint8Array {
  return encoder.encode(`: ${text}\n\n`);
}

/** Formats the field that says how long a client waits before it reconnects. */
export function formatRetry(delayMs: number): Uint8Array {
  return encoder.encode(`retry: ${delayMs}\n\n`);
}

/** Headers of a stream. Proxies must not buffer, change or cache events. */
export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;
