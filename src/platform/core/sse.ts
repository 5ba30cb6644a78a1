/** Server-Sent Events on the wire (WHATWG HTML, 9.2). Bytes and not strings: Elysia would prefix those. */
const encoder = new TextEncoder();

/** `data` is sent as one line of JSON. */
export function event(name: string, data: unknown, id?: string): Uint8Array {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return encoder.encode(`event: ${name}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
}

export function comment(text: string): Uint8Array {
  return encoder.encode(`: ${text}\n\n`);
}

/** How long a client waits before it connects again. */
export function retry(delayMs: number): Uint8Array {
  return encoder.encode(`retry: ${delayMs}\n\n`);
}

/** Nobody between may hold events back, change them or keep them. */
export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;
