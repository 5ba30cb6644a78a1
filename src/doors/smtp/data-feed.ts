import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { MailData } from './mail-data.ts';
import type { Tally } from './unspooled.ts';

/*
 * Reads DATA, replacing smtp-server's loop over every byte. Data ends only with CRLF.CRLF. A doubled dot at the start
 * of a line is undone (RFC 5321, section 4.5.2), also after a bare LF, because senders of bare LF double it there. A
 * lone dot on a line that begins or ends with a bare CR or LF is how SMTP smuggling works: the data continues, and the
 * mail is marked for refusal. This replaces a private method: smtp-server is pinned, and test/doors/smtp tests each
 * case byte by byte.
 */

const LF_DOT = Buffer.from('\n.');
const CR_DOT = Buffer.from('\r.');
const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/** The private parts of SMTPStream that we use, and what we add. */
interface Stream {
  _dataStream: MailData;
  _dataMode: boolean;
  _maxBytes: number;
  dataBytes: number;
  _atDataStart: boolean;
  /** Called after the mail's reply; true when the reply came before the end of the data. */
  _continueCallback: (() => void) | boolean;
  _countDataBytes(count: number): void;
  _endDataMode(last: Buffer | false, rest: Buffer, done: Done): void;
  _feed?: Feed;
  tally?: Tally;
}

/** What is kept from one chunk to the next. */
interface Feed {
  /** A dot at a line start, possibly with a CR: the next bytes decide what it means. */
  undecided: Buffer | null;
  /** The two bytes before `undecided`, or before the next chunk. */
  before: [number, number];
}

type Done = (fault?: Error) => void;
type Write = (this: Stream, chunk: Buffer, ...rest: unknown[]) => boolean;

/** Replaces the library's reading of DATA, once per process. */
export function installDataFeed(): void {
  const prototype = SMTPStream.prototype as unknown as {
    _feedDataStream(chunk: Buffer, done: Done): void;
    continue(): void;
    startDataMode(bytesMax?: number): MailData;
    write: Write;
  };
  const { write } = prototype;
  prototype.startDataMode = function (this: Stream, bytesMax) {
    this._dataMode = true;
    this._maxBytes = bytesMax || Number.POSITIVE_INFINITY;
    this.dataBytes = 0;
    this._atDataStart = true;
    this._dataStream = new MailData(this.tally!);
    return this._dataStream;
  };
  // Commands, and data that a client sends ahead of a reply, wait here until processed. A mail's bytes are counted
  // when they enter its stream instead.
  prototype.write = function (this: Stream, chunk, ...rest) {
    const { tally } = this;
    // A socket's pipe passes only the chunk. Any other caller is left alone.
    if (!tally || this._dataMode || rest.length > 0) return write.call(this, chunk, ...rest);
    tally.addWaiting(chunk.length);
    return write.call(this, chunk, () => tally.removeWaiting(chunk.length));
  };
  // The library clears the callback after running it. But running it may read another whole mail, whose callback is
  // then lost, and a client that sends several mails in one packet would wait forever.
  prototype.continue = function (this: Stream) {
    const go = this._continueCallback;
    this._continueCallback = typeof go !== 'function';
    if (typeof go === 'function') go();
  };
  prototype._feedDataStream = function (this: Stream, chunk, done) {
    // The data begins at a line start, so a first dot is treated like any other.
    if (this._atDataStart) this._feed = { undecided: null, before: [CR, LF] };
    this._atDataStart = false;
    read(this, this._feed!, chunk, done);
  };
}

function read(stream: Stream, feed: Feed, chunk: Buffer, done: Done): void {
  const data = feed.undecided ? Buffer.concat([feed.undecided, chunk]) : chunk;
  feed.undecided = null;
  const byteAt = (at: number) => (at >= 0 ? data[at] : feed.before[at + 2]);
  const out: Buffer[] = [];
  let from = 0;
  let end = data.length;
  const nextDot = makeDotFinder(data, byteAt);
  for (let dot = nextDot(0); dot >= 0; dot = nextDot(dot + 1)) {
    const meaning = classifyDot(dot, byteAt, data.length);
    if (meaning === 'undecided') {
      end = dot;
      break;
    }
    if (meaning === 'bare') stream._dataStream.bareDotLine = true;
    if (meaning === 'doubled' || meaning === 'end') out.push(data.subarray(from, dot));
    if (meaning === 'doubled') from = ++dot;
    if (meaning === 'end') {
      const last = join(out);
      stream._countDataBytes(last.length);
      if (stream._dataStream.writable) stream.tally?.add(last.length);
      endData(stream, last, data.subarray(dot + 3), done);
      return;
    }
  }
  out.push(data.subarray(from, end));
  // Copied: a view would keep the whole chunk in memory.
  if (end < data.length) feed.undecided = Buffer.from(data.subarray(end));
  feed.before = [byteAt(end - 2)!, byteAt(end - 1)!];
  emit(stream, join(out), done);
}

/** Ends the data. What the client sent after it waits until the mail has its reply. */
function endData(stream: Stream, last: Buffer, rest: Buffer, done: Done): void {
  const { tally } = stream;
  tally?.addWaiting(rest.length);
  stream._endDataMode(last, rest, (fault) => {
    tally?.removeWaiting(rest.length);
    done(fault);
  });
}

type ByteAt = (at: number) => number | undefined;

/** Returns a function that finds the next dot after a CR or LF. The data is searched only once for each of the two. */
function makeDotFinder(data: Buffer, byteAt: ByteAt): (from: number) => number {
  let lf = -2;
  let cr = -2;
  return (from) => {
    if (from === 0 && data[0] === DOT && (byteAt(-1) === LF || byteAt(-1) === CR)) return 0;
    if (lf !== -1 && lf < from) lf = data.indexOf(LF_DOT, from);
    if (cr !== -1 && cr < from) cr = data.indexOf(CR_DOT, from);
    if (lf < 0) return cr < 0 ? -1 : cr + 1;
    return (cr < 0 ? lf : Math.min(lf, cr)) + 1;
  };
}

type Meaning = 'content' | 'doubled' | 'bare' | 'end' | 'undecided';

function classifyDot(dot: number, byteAt: ByteAt, length: number): Meaning {
  if (dot + 1 >= length) return 'undecided';
  const next = byteAt(dot + 1);
  if (byteAt(dot - 1) === CR) return next === CR || next === LF ? 'bare' : 'content';
  if (next === DOT) return 'doubled';
  if (next === LF) return 'bare';
  if (next !== CR) return 'content';
  if (dot + 2 >= length) return 'undecided';
  return byteAt(dot + 2) === LF && byteAt(dot - 2) === CR ? 'end' : 'bare';
}

/**
 * Passes bytes on immediately. The tally limits the rate: waiting for `drain` would collect uncounted bytes in every
 * stream from here to the socket.
 */
function emit(stream: Stream, bytes: Buffer, done: Done): void {
  const target = stream._dataStream;
  stream._countDataBytes(bytes.length);
  if (bytes.length > 0 && target.writable) {
    stream.tally?.add(bytes.length);
    target.write(bytes);
  }
  done();
}

function join(parts: Buffer[]): Buffer {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
