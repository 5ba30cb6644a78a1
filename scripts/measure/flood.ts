/**
 * The load generator, a process of its own that is the same for every server. It sends one mail repeatedly over raw
 * connections. Takes one JSON object of options as its argument, prints one JSON object of figures.
 */
import type { Socket } from 'bun';
import { quantile } from './figures.ts';
import { type MailKind, mails } from './mails.ts';
import { readClockUs } from './trace/stamps.ts';

export interface FloodOptions {
  port: number;
  mail: MailKind;
  recipient: string;
  connections: number;
  /** Many mails per connection, or one. */
  reuse: boolean;
  /** Sends MAIL, RCPT and DATA in one write, as mail servers do; otherwise each waits for the previous reply. */
  pipelining: boolean;
  /** Ends after this many mails or seconds, whichever comes first. */
  messages: number;
  seconds: number;
  /** Counts only after this many seconds. */
  warmUpS: number;
  /** Returns `bodiesUs`. */
  keepsTimes?: boolean;
}

export interface FloodResult {
  /** Accepted in total, including the warm-up. */
  accepted: number;
  refused: number;
  /** Accepted per second after the warm-up. */
  perS: number;
  /** Accepted per second in the first seconds, before any code is compiled. */
  coldPerS: number;
  /** From MAIL FROM to the message's reply; with new connections, from the connection. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** From the last byte of the message to its reply. */
  bodyP10Ms: number;
  bodyP50Ms: number;
  /** The number of mails that the figures are from. */
  counted: number;
  /** When the last byte of each accepted mail was sent and its reply came, by the clock of trace/stamps.ts. */
  bodiesUs: [number, number][];
  bytes: number;
  lastRefusal: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as FloodOptions;
const STUCK_MS = 20_000;
const COLD_S = 2;
const mail = Buffer.from(`${mails[options.mail]().replace(/\r\n\./g, '\r\n..')}.\r\n`);
const numberPlaces = Array.from(mail.toString('latin1').matchAll(/@{10}/g), (match) => match.index);
const commands = [`MAIL FROM:<bench@shop.example>`, `RCPT TO:<${options.recipient}>`, 'DATA'];
const envelope = (options.pipelining ? [commands.join('\r\n')] : commands).map((text) =>
  Buffer.from(`${text}\r\n`),
);

let begun = 0;
let accepted = 0;
let acceptedCold = 0;
let refused = 0;
let lastRefusal = '';
let open = 0;
const latenciesMs: number[] = [];
const bodiesMs: number[] = [];
const times: [number, number][] = [];
const started = performance.now();
const countedFrom = started + options.warmUpS * 1000;
const endsAt = started + (options.warmUpS + options.seconds) * 1000;
let lastCounted = countedFrom;

/** The reply that a connection waits for. */
type Stage = 'greeting' | 'ehlo' | 'envelope' | 'message' | 'quit';

/** Uses a new connection for each mail, or one for all. */
class Sender {
  private stage: Stage = 'greeting';
  private repliesDue = 0;
  private beganAt = 0;
  private sentAt = 0;
  private unsent: Buffer | undefined;
  private rest = '';
  private readonly copy = Buffer.from(mail);
  private socket: Socket | undefined;

  async connect(): Promise<void> {
    this.stage = 'greeting';
    this.rest = '';
    this.unsent = undefined;
    this.beganAt = performance.now();
    open++;
    try {
      this.socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: options.port,
        socket: {
          data: (_, chunk) => this.take(chunk),
          drain: () => this.unsent && this.write(this.unsent),
          close: () => this.closed(),
          error: () => {},
        },
      });
    } catch (fault) {
      open--;
      refuse(String(fault));
      finishWhenDone();
    }
  }

  private take(chunk: Buffer): void {
    const lines = (this.rest + chunk.toString('latin1')).split('\r\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) if (line[3] !== '-') this.reply(line);
  }

  private reply(line: string): void {
    const bad = line[0] === '4' || line[0] === '5';
    if (bad) refuse(line);
    if (bad && this.stage !== 'message') this.quit();
    else if (this.stage === 'greeting') this.say('ehlo', Buffer.from('EHLO bench.example\r\n'));
    else if (this.stage === 'ehlo') this.next(options.reuse ? performance.now() : this.beganAt);
    else if (this.stage === 'envelope') {
      if (--this.repliesDue === 0) this.say('message', this.numbered());
      else if (!options.pipelining) this.say('envelope', envelope[commands.length - this.repliesDue]!);
    } else if (this.stage === 'message') {
      if (!bad) accept(this.beganAt, this.sentAt);
      if (options.reuse) this.next(performance.now());
      else this.quit();
    }
  }

  private next(beganAt: number): void {
    if (isOver()) {
      this.quit();
      return;
    }
    begun++;
    this.beganAt = beganAt;
    this.repliesDue = commands.length;
    this.say('envelope', envelope[0]!);
  }

  private numbered(): Buffer {
    const number = String(begun).padStart(10, '0');
    for (const place of numberPlaces) this.copy.write(number, place, 'latin1');
    return this.copy;
  }

  private say(stage: Stage, bytes: Buffer): void {
    this.stage = stage;
    this.write(bytes);
  }

  private write(bytes: Buffer): void {
    const written = Math.max(0, this.socket?.write(bytes) ?? 0);
    this.unsent = written < bytes.length ? bytes.subarray(written) : undefined;
    this.sentAt = performance.now();
  }

  private quit(): void {
    this.say('quit', Buffer.from('QUIT\r\n'));
    this.socket?.end();
  }

  private closed(): void {
    open--;
    if (this.stage !== 'quit') refuse('connection closed');
    if (!isOver()) void this.connect();
    else finishWhenDone();
  }
}

function isOver(): boolean {
  return begun >= options.messages || performance.now() >= endsAt || refused > 1000;
}

function accept(beganAt: number, sentAt: number): void {
  accepted++;
  const now = performance.now();
  if (options.keepsTimes) times.push([sentAt, now]);
  if (now - started < COLD_S * 1000) acceptedCold++;
  if (now < countedFrom || now > endsAt) return;
  latenciesMs.push(now - beganAt);
  bodiesMs.push(now - sentAt);
  lastCounted = now;
}

function refuse(why: string): void {
  refused++;
  lastRefusal = why;
}

function finishWhenDone(): void {
  if (open === 0) finish();
}

let isFinished = false;

function finish(): void {
  if (isFinished) return;
  isFinished = true;
  const seconds = (lastCounted - countedFrom) / 1000;
  const clockUs = readClockUs() - performance.now() * 1000;
  const result: FloodResult = {
    accepted,
    refused,
    perS: seconds > 0 ? latenciesMs.length / seconds : 0,
    coldPerS: acceptedCold / COLD_S,
    bodyP10Ms: quantile(bodiesMs, 0.1),
    bodyP50Ms: quantile(bodiesMs, 0.5),
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    maxMs: quantile(latenciesMs, 1),
    counted: latenciesMs.length,
    bodiesUs: times.map(([sentMs, repliedMs]) => [sentMs * 1000 + clockUs, repliedMs * 1000 + clockUs]),
    bytes: mail.length - 3,
    lastRefusal,
  };
  // A pipe accepts 64 KB at once, and the times of thousands of mails take more.
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

// A server that stops answering must not block the bench.
setTimeout(finish, endsAt - started + STUCK_MS);
for (let index = 0; index < options.connections; index++) void new Sender().connect();
