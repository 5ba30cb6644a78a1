/**
 * Asks a mail server whether it would accept mail for some recipients, without sending any: EHLO, MAIL FROM:<>, RCPT TO for each,
 * QUIT, but never DATA. It sends one command at a time, and without TLS, because nothing of it is private.
 */
import { connect, type Socket } from 'node:net';
import type { Cancel, Clock } from '../core/clock.ts';
import { type Address, isSameAddress } from './guard.ts';
import { ReplyReader, type WireReply } from './smtp-reply.ts';

export interface ProbeRequest {
  /** Checked by the guard; only this address is dialled. */
  address: Address;
  port: number;
  /** This server's name (RFC 5321 4.1.1.1). */
  helo: string;
  /** In envelope form, without brackets or line ends. */
  recipients: readonly string[];
  /** Whether one of them has non-ASCII letters (RFC 6531). */
  isInternational: boolean;
}

export type ProbeStage = 'connect' | 'greeting' | 'hello' | 'sender' | 'recipient';

/** Result of a session. `replies` has the replies to RCPT, up to where it ended. */
export type ProbeOutcome = { replies: WireReply[] } & (
  | { kind: 'asked' }
  | { kind: 'failed'; at: ProbeStage; why: ProbeFailure; reply: WireReply | null }
);

export type ProbeFailure = 'timeout' | 'closed' | 'refused' | 'not_smtp' | 'no_smtputf8' | 'aborted';

const CONNECT_MS = 5_000;
/** For each reply. */
const REPLY_MS = 10_000;
/** For the whole session. */
const TOTAL_MS = 20_000;
/** From QUIT until the server hangs up. */
const QUIT_MS = 2_000;

/** Probes the recipients in one session. Rejects only for a fault of our own. */
export async function probeRecipients(
  clock: Clock,
  request: ProbeRequest,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const line = new Line(clock, request, signal);
  const replies: WireReply[] = [];
  let at: ProbeStage = 'connect';
  try {
    await line.open();
    at = 'greeting';
    expectSuccess(await line.reply());
    at = 'hello';
    const hello = await line.say(`EHLO ${request.helo}`);
    expectSuccess(hello);
    const hasUtf8 = hello.lines.slice(1).some((keyword) => /^smtputf8\b/i.test(keyword));
    if (request.isInternational && !hasUtf8) throw new Failed('no_smtputf8', hello);
    at = 'sender';
    expectSuccess(await line.say(`MAIL FROM:<>${request.isInternational ? ' SMTPUTF8' : ''}`));
    at = 'recipient';
    for (const recipient of request.recipients) {
      const reply = await line.say(`RCPT TO:<${recipient}>`);
      replies.push(reply);
      // The server hangs up (RFC 5321 3.8).
      if (reply.code === 421) throw new Failed('refused', reply);
    }
    return { kind: 'asked', replies };
  } catch (thrown) {
    if (!(thrown instanceof Failed)) throw thrown;
    return { kind: 'failed', at, why: thrown.why, reply: thrown.reply, replies };
  } finally {
    line.close();
  }
}

function expectSuccess(reply: WireReply): void {
  if (reply.code < 200 || reply.code > 299) throw new Failed('refused', reply);
}

class Failed extends Error {
  constructor(
    readonly why: ProbeFailure,
    readonly reply: WireReply | null = null,
  ) {
    super(why);
  }
}

/** A connection on which one thing at a time is awaited: that it opens, or the next reply. */
class Line {
  private socket: Socket | undefined;
  private readonly reader = new ReplyReader();
  private failed: ProbeFailure | undefined;
  private notify: () => void = () => {};
  private readonly cancelTotal: Cancel;
  private readonly onAbort = () => this.fail('aborted');

  constructor(
    private readonly clock: Clock,
    private readonly request: ProbeRequest,
    private readonly signal: AbortSignal,
  ) {
    this.cancelTotal = clock.after(TOTAL_MS, () => this.fail('timeout'));
    signal.addEventListener('abort', this.onAbort);
    if (signal.aborted) this.onAbort();
  }

  async open(): Promise<void> {
    const { address, port } = this.request;
    let isOpen = false;
    if (!this.failed) {
      const socket = connect({ host: address.address, family: address.family, port });
      this.socket = socket;
      socket.on('connect', () => {
        isOpen = isSameAddress(socket.remoteAddress, address.address);
        if (!isOpen) this.fail('closed');
        this.notify();
      });
      socket.on('error', () => this.fail('closed'));
      socket.on('close', () => this.fail('closed'));
      socket.on('data', (bytes: Buffer) => {
        if (!this.reader.take(bytes)) {
          this.fail('not_smtp');
          // Nothing more is read, not even from a server that keeps talking after QUIT.
          socket.destroy();
        }
        this.notify();
      });
    }
    await this.until(() => isOpen, CONNECT_MS);
  }

  /** Resolves with the next reply, even one that was sent just before the server hung up. */
  async reply(): Promise<WireReply> {
    await this.until(() => this.reader.hasReply, REPLY_MS);
    return this.reader.next()!;
  }

  say(command: string): Promise<WireReply> {
    this.socket?.write(`${command}\r\n`);
    return this.reply();
  }

  /** Sends QUIT if the server is still there, and doesn't wait for its reply. */
  close(): void {
    this.cancelTotal();
    this.signal.removeEventListener('abort', this.onAbort);
    const { socket } = this;
    if (!socket) return;
    if (this.failed) {
      socket.destroy();
      return;
    }
    const cancel = this.clock.after(QUIT_MS, () => socket.destroy());
    socket.on('close', cancel);
    socket.end('QUIT\r\n');
  }

  private fail(why: ProbeFailure): void {
    this.failed ??= why;
    this.notify();
  }

  private until(isThere: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(ms, () => this.fail('timeout'));
      this.notify = () => {
        if (!isThere() && !this.failed) return;
        this.notify = () => {};
        cancel();
        if (isThere()) resolve();
        else reject(new Failed(this.failed!));
      };
      this.notify();
    });
  }
}
