/**
 * Mail to one server: nodemailer speaks SMTP, over a socket that we dial ourselves to an address that was judged
 * (platform/net/guard.ts). Whatever the server does ends in time and is a value; nothing here throws for it.
 */
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import Connection from 'nodemailer/lib/smtp-connection';
import { sending as rules } from '../../rules/sending.ts';
import { dial } from './dial.ts';
import type { Address } from './guard.ts';
import { isTlsFault, replyFrom, replyOf, type ServerReply, type SmtpError } from './server-reply.ts';

/**
 * `when_offered`: STARTTLS if the server has it, any certificate (RFC 7435). `verified`: STARTTLS with a certificate
 * for the name, or nothing. `from_the_start`: TLS before the greeting, verified. `off`: none.
 */
export type Security = 'when_offered' | 'verified' | 'from_the_start' | 'off';

export interface ServerOptions {
  address: Address;
  port: number;
  /** Its name, for SNI and the certificate. */
  host: string;
  /** Ours, said in EHLO. */
  ownName: string;
  security: Security;
  /** PEM, trusted besides the built-in roots; the same array each time. */
  extraCa: readonly string[];
  login?: { user: string; pass: string };
  times?: Partial<SmtpTimes>;
  /** Ends all that is under way. */
  signal?: AbortSignal;
}

export type SmtpTimes = Record<'connect_ms' | 'setup_ms' | 'envelope_ms' | 'data_ms', number>;

export interface NotOpened {
  kind: 'failed';
  reply: ServerReply;
  /** TLS did not come about: without it the server might take mail. */
  isTls: boolean;
}

export type Opened = { kind: 'open'; session: SmtpSession } | NotOpened;

export interface Envelope {
  /** Reverse-path. */
  from: string;
  to: readonly string[];
}

/** What became of each recipient; null of `code`: the server never said. */
export interface Handed {
  replies: Map<string, ServerReply>;
  /** By which command the reply came: what RCPT refuses is about the recipient, the rest about the mail or us. */
  at: Map<string, 'RCPT' | 'other'>;
  /** Some of the mail itself went out. */
  isBegun: boolean;
}

const defaultTimes: SmtpTimes = {
  connect_ms: rules.connect_ms,
  setup_ms: rules.setup_ms,
  envelope_ms: rules.envelope_ms,
  data_ms: rules.data_ms,
};

/** Dials, reads the greeting, makes the connection secure, logs in. */
export async function openSession(options: ServerOptions): Promise<Opened> {
  const times = { ...defaultTimes, ...options.times };
  const { signal } = options;
  if (signal?.aborted) return failed(null, 'stopped');
  const dialled = await dial(options, times.connect_ms);
  if ('reason' in dialled) return failed(null, dialled.reason);
  const connection = new Connection(connectionOptions(options, dialled.socket, times));
  const session = new SmtpSession(connection, dialled.socket, times, signal);
  const reached = await session.setUp(options.login);
  if (reached === null) return { kind: 'open', session };
  session.close();
  return reached;
}

/** One connection, ready for mail; one mail at a time. */
export class SmtpSession {
  /** Mails that it has carried. */
  mails = 0;
  private fault: SmtpError | null = null;
  private isClosed = false;
  private give: ((fault: SmtpError) => void) | null = null;
  private readonly cut = () => this.fail(new Error('stopped'));

  constructor(
    private readonly connection: Connection,
    private readonly socket: Socket,
    private readonly times: SmtpTimes,
    private readonly signal: AbortSignal | undefined,
  ) {
    connection.on('error', (fault) => this.fail(fault as SmtpError));
    // What was said before the end (421) is told by the step, just after.
    connection.on('end', () => setImmediate(() => this.fail(new Error('the connection was closed'))));
    signal?.addEventListener('abort', this.cut);
  }

  /** It can be asked to carry another mail. */
  get isOpen(): boolean {
    return !this.isClosed && this.fault === null;
  }

  get isSecure(): boolean {
    return this.connection.secure;
  }

  /** Null when it is ready for mail. */
  async setUp(login: ServerOptions['login']): Promise<NotOpened | null> {
    const until = performance.now() + this.times.setup_ms;
    const what = 'no greeting in time, or EHLO or TLS took too long';
    const greeted = await this.ask(this.times.setup_ms, what, (done) => this.connection.connect(done));
    if (greeted) return { ...failed(greeted), isTls: greeted.code === 'ETLS' || isTlsFault(greeted) };
    if (!login) return null;
    const leftMs = Math.max(1, until - performance.now());
    const said = await this.ask(leftMs, 'no answer to AUTH in time', (done) =>
      this.connection.login({ credentials: login }, done),
    );
    return said ? failed(said) : null;
  }

  /** Hands one mail over. */
  async send(envelope: Envelope, mail: Uint8Array): Promise<Handed> {
    this.mails += 1;
    let accepted: string[] = [];
    let rejected: SmtpError[] = [];
    let final: ServerReply = { code: null, text: '' };
    let isBegun = false;
    const { envelope_ms, data_ms } = this.times;
    const fault = await this.ask(envelope_ms, 'no answer to MAIL, RCPT or DATA in time', (done, wait) => {
      const onBegin = () => {
        isBegun = true;
        wait(data_ms, 'the mail was not taken in time');
      };
      const body = Readable.from(inPieces(mail, onBegin), {
        objectMode: false,
      });
      const sent = {
        from: envelope.from,
        to: [...envelope.to],
        size: mail.length,
        use8BitMime: hasHigh(mail),
      };
      this.connection.send(sent, body, (refused, info) => {
        if (!refused) {
          accepted = info.accepted.map(String);
          rejected = (info.rejectedErrors ?? []) as SmtpError[];
          final = replyOf(info.response);
        }
        done(refused ?? undefined);
      });
    });
    if (fault) {
      // With PIPELINING the RCPTs behind a refused MAIL are answered 503: that says nothing about the recipients.
      rejected = fault.command === 'MAIL FROM' ? [] : (fault.rejectedErrors ?? this.rejectedSoFar());
      final = isTooLarge(fault) ? tooLarge : replyFrom(fault);
      // What it did not refuse at RCPT has the fate of the mail.
      accepted = envelope.to.filter((to) => !rejected.some(({ recipient }) => recipient === to));
      if (!(await this.isUsableAfter(fault))) this.close();
    }
    const handed: Handed = { replies: new Map(), at: new Map(), isBegun };
    for (const to of accepted) {
      handed.replies.set(to, final);
      handed.at.set(to, 'other');
    }
    for (const one of rejected) {
      handed.replies.set(one.recipient ?? '', replyFrom(one));
      handed.at.set(one.recipient ?? '', 'RCPT');
    }
    return handed;
  }

  /** Says QUIT when there is nothing in the way of it, and goes. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.signal?.removeEventListener('abort', this.cut);
    if (this.fault === null && !this.socket.destroyed) this.connection.quit();
    // A server that does not answer QUIT keeps nothing open.
    const socket = this.socket;
    const timer = setTimeout(
      () => {
        this.connection.close();
        socket.destroy();
      },
      this.fault === null ? CLOSE_MS : 0,
    );
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }

  /** After a refusal the session goes on with RSET; after anything else it is over. */
  private async isUsableAfter({ responseCode, command }: SmtpError): Promise<boolean> {
    if (!this.isOpen || responseCode === undefined || responseCode === 421 || !command) return false;
    const fault = await this.ask(RESET_MS, 'no answer to RSET in time', (done) =>
      this.connection.reset(done),
    );
    return fault === null;
  }

  /** When DATA was refused, nodemailer tells that alone; who was refused before stands in its envelope. */
  private rejectedSoFar(): SmtpError[] {
    const { _envelope } = this.connection as unknown as {
      _envelope: { rejectedErrors?: SmtpError[] } | false;
    };
    return _envelope ? (_envelope.rejectedErrors ?? []) : [];
  }

  /** One step, which ends by its callback, a fault of the connection, the time or the stop: null when it went well. */
  private ask(
    ms: number,
    tooSlow: string,
    step: (done: (fault?: Error | null) => void, wait: (ms: number, tooSlow: string) => void) => void,
  ): Promise<SmtpError | null> {
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const end = (fault: SmtpError | null) => {
        clearTimeout(timer);
        this.give = null;
        resolve(fault);
      };
      const wait = (waitMs: number, reason: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => this.fail(new Error(reason)), waitMs);
      };
      if (this.fault) return end(this.fault);
      this.give = end;
      wait(ms, tooSlow);
      step((fault) => this.give === end && end((fault ?? null) as SmtpError | null), wait);
    });
  }

  private fail(fault: SmtpError): void {
    this.fault ??= fault;
    this.give?.(fault);
    if (this.isClosed) return;
    this.close();
  }
}

/** Known from what EHLO said of SIZE: nothing was asked. */
const tooLarge: ServerReply = { code: 552, text: '5.3.4 the message is larger than the server takes' };

function isTooLarge({ code, command, response }: SmtpError): boolean {
  return code === 'EMESSAGE' && command === 'MAIL FROM' && !response;
}

const CLOSE_MS = 1_000;
const RESET_MS = 20_000;

function connectionOptions(options: ServerOptions, socket: Socket, times: SmtpTimes) {
  const { security, host } = options;
  const isVerified = security === 'verified' || security === 'from_the_start';
  return {
    connection: socket,
    host,
    name: options.ownName,
    secure: security === 'from_the_start',
    ignoreTLS: security === 'off',
    requireTLS: security === 'verified',
    opportunisticTLS: security === 'when_offered',
    tls: {
      // RFC 6066 3: SNI holds no address, and with one the handshake fails. The certificate is checked for `host` then.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: isVerified,
      secureContext: contextFor(options.extraCa, isVerified),
    },
    // Ours end earlier, and count in all; its own count from the last byte.
    connectionTimeout: times.setup_ms + 1_000,
    greetingTimeout: times.setup_ms + 1_000,
    socketTimeout: times.data_ms + 1_000,
    socketCloseTimeout: CLOSE_MS,
    maxResponseSize: rules.reply_bytes_max,
  };
}

/** By the list of certificates, which is replaced and never changed. */
const contexts = new WeakMap<readonly string[], { verified?: SecureContext; any?: SecureContext }>();

/** Made once each (3.5 ms). Where no certificate is asked for, an old TLS is better than none. */
function contextFor(extraCa: readonly string[], isVerified: boolean): SecureContext {
  const made = contexts.get(extraCa) ?? {};
  contexts.set(extraCa, made);
  if (isVerified) {
    made.verified ??= createSecureContext({ ca: [...rootCertificates, ...extraCa], minVersion: 'TLSv1.2' });
    return made.verified;
  }
  made.any ??= createSecureContext({ minVersion: 'TLSv1' });
  return made.any;
}

const PIECE_BYTES = 64 * 1024;

function* inPieces(bytes: Uint8Array, onBegin: () => void): Generator<Buffer> {
  onBegin();
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole.length; at += PIECE_BYTES) yield whole.subarray(at, at + PIECE_BYTES);
}

function hasHigh(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte > 0x7f);
}

function failed(fault: SmtpError | null, reason = ''): NotOpened {
  return { kind: 'failed', reply: fault ? replyFrom(fault) : { code: null, text: reason }, isTls: false };
}
