/** Server-Sent Events (WHATWG HTML, 9.2.6), read from a body. */

export interface ServerEvent {
  event: string;
  /** Where to continue after this event; null if it has no id. */
  id: string | null;
  data: string;
}

/** Bound on one event. A message has at most a few million characters; more would only fill the memory. */
const EVENT_CHARS_MAX = 64 * 1024 * 1024;
const LINE_END = /\r\n|\n|\r/g;

/** Collects chunks of text into events. An incomplete last event is dropped with the parser. */
export class EventParser {
  private rest = '';
  private lines: string[] = [];
  private chars = 0;

  /** Returns the events that this chunk completes. */
  push(chunk: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const text = this.rest + chunk;
    let start = 0;
    for (const { 0: lineEnd, index } of text.matchAll(LINE_END)) {
      // A CR at the end of a chunk may be half of a CRLF.
      if (lineEnd === '\r' && index === text.length - 1) break;
      const event = this.takeLine(text.slice(start, index));
      if (event) events.push(event);
      start = index + lineEnd.length;
    }
    this.rest = text.slice(start);
    if (this.rest.length + this.chars > EVENT_CHARS_MAX)
      throw new Error('an event of the stream is too large');
    return events;
  }

  private takeLine(line: string): ServerEvent | null {
    if (line !== '') {
      this.lines.push(line);
      this.chars += line.length;
      return null;
    }
    const event = readBlock(this.lines);
    this.lines = [];
    this.chars = 0;
    return event;
  }
}

/** Returns null for a block without data: a comment, or only `retry`. */
function readBlock(lines: readonly string[]): ServerEvent | null {
  let event = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    else if (name === 'id') id = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, id, data: data.join('\n') };
}
