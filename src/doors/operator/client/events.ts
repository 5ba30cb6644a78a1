/** Reads Server-Sent Events (WHATWG HTML, 9.2.6) as Postern sends them: blocks of lines, each followed by an empty line. */

export interface ServerEvent {
  event: string;
  /** The position after which a stream continues; null if the event has none. */
  id: string | null;
  data: string;
}

/** Most characters of one event: a message has at most a few million, and a server can't fill the memory. */
const EVENT_CHARS_MAX = 64 * 1024 * 1024;

/** Yields the events of a body until it ends, without comments and `retry`. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let buffered = '';
  for await (const chunk of body) {
    buffered += decoder.decode(chunk, { stream: true });
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      const found = readBlock(buffered.slice(0, end));
      buffered = buffered.slice(end + 2);
      if (found) yield found;
    }
    if (buffered.length > EVENT_CHARS_MAX) throw new Error('an event of the stream is too large');
  }
}

/** Parses one block of lines; null for one without data. */
function readBlock(block: string): ServerEvent | null {
  let event = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const value = line.slice(line.indexOf(':') + 1).replace(/^ /, '');
    if (line.startsWith('event:')) event = value;
    else if (line.startsWith('id:')) id = value;
    else if (line.startsWith('data:')) data.push(value);
  }
  return data.length === 0 ? null : { event, id, data: data.join('\n') };
}
