/**
 * Sends mail to one server. nodemailer speaks SMTP, over a socket to an address that the guard has checked
 * (platform/net/guard.ts). Every step ends in time, whatever the server does, and every failure is returned, not thrown.
 */

import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import Connection from 'nodemailer/lib/smtp-connection';
import { sending as rules } from '../../rules/sending.ts';
import { viewBytes } from '../core/bytes.ts';
import type { MailPieces } from '../core/mail-pieces.ts';
import { dial } from './dial.ts';
import type { Address } from './guard.ts';
import { makeOpportunisticContext, makeVerifyingContext } from './secure-context.ts';
import {
  isTlsFault,
  readFaultReply,
  readServerReply,
  type ServerReply,
  type SmtpError,
} from './server-reply.ts';

/**
 * `when_offered`: STARTTLS if the server offers it, with any certificate (RFC 7435). `verified`: STARTTLS with a
 * certificate for the name, or no mail. `from_the_start`: verified TLS before the greeting. `off`: no TLS.
 */
export type Security = 'when_offered' | 'verified' | 'from_the_start' | 'off';

export interface ServerOptions {
  address: Address;
  port: number;
  /** The server's name, for SNI and the certificate. */
  host: string;
  /** This server's name, for EHLO. */
  ownName: string;
  security: Security;
  /** PEM, trusted in addition to the built-in roots. Pass the same array each time: it is the key of a cache. */
  extraCa: readonly string[];
  login?: { user: string; pass: string };
  times?: Partial<SmtpTimes>;
  /** Ends the session at once. */
  signal?: AbortSignal;
}

export type SmtpTimes = Record<'connectMs' | 'setupMs' | 'envelopeMs' | 'dataMs', number>;

export interface NotOpened {
  kind: 'failed';
  reply: ServerReply;
  /** Whether TLS failed, so that the server might accept the mail without it. */
  isTls: boolean;
}

export type Opened = { kind: 'open'; session: SmtpSession } | NotOpened;

export interface Envelope {
  /** Reverse-path. */
  from: string;
  to: readonly string[];
}

/** Result of a mail. */
export interface Handed {
  /** The reply for each recipient; its `code` is null if the server never replied. */
  replies: Map<string, ServerReply>;
  /** The command with that reply. At RCPT it is about the recipient, at any other about the mail or this server. */
  at: Map<string, 'RCPT' | 'other'>;
  /** Whether a part of the message was sent. */
  isBegun: boolean;
}

const defaultTimes: SmtpTimes = {
  connectMs: rules.connectMs,
  setupMs: rules.setupMs,
  envelopeMs: rules.envelopeMs,
  dataMs: rules.dataMs,
};

/** Dials, waits for the greeting, starts TLS and logs in. */
export async function openSession(options: ServerOptions): Promise<Opened> {
  const times = { ...defaultTimes, ...options.times };
  const { signal } = options;
  if (signal?.aborted) return toNotOpened(null, 'stopped');
  const dialled = await dial(options, times.connectMs);
  if ('reason' in dialled) return toNotOpened(null, dialled.reason);
  const connection = new Connection(makeConnectionOptions(options, dialled.socket, times));
  boundWaiting(connection);
  const session = new SmtpSession(connection, dialled.socket, times, signal);
  const reached = await session.setUp(options.login);
  if (reached === null) return { kind: 'open', session };
  session.close();
  return reached;
}

/** A connection that is ready for mail, one at a time. */
export class SmtpSession {
  /** Mails sent on it so far. */
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
    // Deferred, so that a last reply (421) is reported first, by the step that gets it.
    connection.on('end', () => setImmediate(() => this.fail(new Error('the connection was closed'))));
    signal?.addEventListener('abort', this.cut);
  }

  /** Whether it can carry another mail. */
  get isOpen(): boolean {
    return !this.isClosed && this.fault === null;
  }

  get isSecure(): boolean {
    return this.connection.secure;
  }

  /** Whether TLS is why a session could not be set up: STARTTLS, the handshake, or silence right after it (RFC 7435). */
  private isAboutTls(fault: SmtpError): boolean {
    const { _plaintextEhlo, upgrading, secure } = this.connection as unknown as TlsState;
    if (upgrading || (secure && !fault.response)) return true;
    // Only our own time-outs have no code. nodemailer keeps the first EHLO's reply until STARTTLS is accepted.
    if (fault.code === undefined) return Boolean(_plaintextEhlo);
    // The server's words may mention TLS too.
    return fault.code === 'ETLS' || (!fault.response && isTlsFault(fault));
  }

  /** Starts the session. Returns null once it is ready for mail. */
  async setUp(login: ServerOptions['login']): Promise<NotOpened | null> {
    const until = performance.now() + this.times.setupMs;
    const what = 'no greeting in time, or EHLO or TLS took too long';
    const greeted = await this.ask(this.times.setupMs, what, (done) => this.connection.connect(done));
    if (greeted) return { ...toNotOpened(greeted), isTls: this.isAboutTls(greeted) };
    if (!login) return null;
    const leftMs = Math.max(1, until - performance.now());
    const said = await this.ask(leftMs, 'no answer to AUTH in time', (done) =>
      this.connection.login({ credentials: login }, done),
    );
    return said ? toNotOpened(said) : null;
  }

  /** Sends one mail. Never rejects. */
  async send(envelope: Envelope, mail: MailPieces): Promise<Handed> {
    this.mails += 1;
    let accepted: string[] = [];
    let rejected: SmtpError[] = [];
    let final: ServerReply = { code: null, text: '' };
    let isBegun = false;
    const { envelopeMs, dataMs } = this.times;
    const fault = await this.ask(envelopeMs, 'no answer to MAIL, RCPT or DATA in time', (done, wait) => {
      const onBegin = () => {
        isBegun = true;
        wait(dataMs, 'the mail was not accepted in time');
      };
      const body = Readable.from(splitPieces(mail, onBegin), {
        objectMode: false,
      });
      const sent = {
        from: envelope.from,
        to: [...envelope.to],
        size: mail.size,
        use8BitMime: mail.has8Bit,
      };
      this.connection.send(sent, body, (refused, info) => {
        if (!refused) {
          accepted = info.accepted.map(String);
          rejected = (info.rejectedErrors ?? []) as SmtpError[];
          final = readServerReply(info.response);
        }
        done(refused ?? undefined);
      });
    });
    if (fault) {
      // With PIPELINING, the RCPTs after a refused MAIL are answered 503, which says nothing about the recipients.
      rejected = fault.command === 'MAIL FROM' ? [] : (fault.rejectedErrors ?? this.rejectedSoFar());
      final = isTooLarge(fault) ? tooLarge : readFaultReply(fault);
      // A recipient that was accepted at RCPT has the mail's result.
      accepted = envelope.to.filter((to) => !rejected.some(({ recipient }) => recipient === to));
      if (!(await this.isUsableAfter(fault))) this.close();
    }
    const handed: Handed = { replies: new Map(), at: new Map(), isBegun };
    for (const to of accepted) {
      handed.replies.set(to, final);
      handed.at.set(to, 'other');
    }
    for (const one of rejected) {
      handed.replies.set(one.recipient ?? '', readFaultReply(one));
      handed.at.set(one.recipient ?? '', 'RCPT');
    }
    return handed;
  }

  /** Sends QUIT if possible, then closes. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.signal?.removeEventListener('abort', this.cut);
    if (this.fault === null && !this.socket.destroyed) this.connection.quit();
    // A server that ignores QUIT must not keep the connection open.
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

  /** After a refusal, RSET makes the session usable again. After anything else it is over. */
  private async isUsableAfter({ responseCode, command }: SmtpError): Promise<boolean> {
    if (!this.isOpen || responseCode === undefined || responseCode === 421 || !command) return false;
    const fault = await this.ask(RESET_MS, 'no answer to RSET in time', (done) =>
      this.connection.reset(done),
    );
    return fault === null;
  }

  /** If DATA is refused, nodemailer reports only that. Its envelope has the recipients that were refused before. */
  private rejectedSoFar(): SmtpError[] {
    const { _envelope } = this.connection as unknown as {
      _envelope: { rejectedErrors?: SmtpError[] } | false;
    };
    return _envelope ? (_envelope.rejectedErrors ?? []) : [];
  }

  /**
   * Runs one step, which ends with its callback, an error of the connection, its time or an abort. Resolves with null on success.
   */
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

/** The server has announced a smaller SIZE, so nothing was sent. */
const tooLarge: ServerReply = { code: 552, text: '5.3.4 the message is larger than the server accepts' };

function isTooLarge({ code, command, response }: SmtpError): boolean {
  return code === 'EMESSAGE' && command === 'MAIL FROM' && !response;
}

const CLOSE_MS = 1_000;
const RESET_MS = 20_000;

function makeConnectionOptions(options: ServerOptions, socket: Socket, times: SmtpTimes) {
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
      // SNI can't hold an address (RFC 6066 3): the handshake would fail. The certificate is checked for `host` then.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: isVerified,
      secureContext: isVerified ? makeVerifyingContext(options.extraCa) : makeOpportunisticContext(),
    },
    // Our own time-outs are shorter and cover a whole step. Those of nodemailer start again with every byte.
    connectionTimeout: times.setupMs + 1_000,
    greetingTimeout: times.setupMs + 1_000,
    socketTimeout: times.dataMs + 1_000,
    socketCloseTimeout: CLOSE_MS,
    maxResponseSize: rules.replyBytesMax,
  };
}

/** Private parts of nodemailer's connection. Its version is pinned, and a test covers them. */
interface TlsState {
  _plaintextEhlo: string | false;
  /** During the handshake. */
  upgrading?: boolean;
  secure: boolean;
}

interface Replies {
  _responseQueue: readonly string[];
  _onData(chunk: Buffer): void;
  _onResponseTooLarge(): void;
}

/** Bounds the number of unread replies. nodemailer bounds only each, so endless blank lines would fill the memory. */
function boundWaiting(connection: Connection): void {
  const replies = connection as unknown as Replies;
  const { _onData: onData } = replies;
  replies._onData = (chunk) => {
    onData.call(replies, chunk);
    if (replies._responseQueue.length > rules.repliesWaitingMax) replies._onResponseTooLarge();
  };
}

const PIECE_BYTES = 64 * 1024;

function* splitPieces(mail: MailPieces, onBegin: () => void): Generator<Buffer> {
  onBegin();
  for (const piece of mail.read()) {
    const whole = viewBytes(piece);
    for (let at = 0; at < whole.length; at += PIECE_BYTES) yield whole.subarray(at, at + PIECE_BYTES);
  }
}

function toNotOpened(fault: SmtpError | null, reason = ''): NotOpened {
  return {
    kind: 'failed',
    reply: fault ? readFaultReply(fault) : { code: null, text: reason },
    isTls: false,
  };
}
