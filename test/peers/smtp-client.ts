/**
 * An SMTP client that sends exactly what a test wants, line by line or byte by byte, so that it can do what a well-behaved
 * client can't. Replies are read whole (RFC 5321 4.2.1) and in order.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface SmtpReply {
  code: number;
  /** The text of each line, without the code. */
  lines: string[];
}

export type TlsVersions = Pick<ConnectionOptions, 'minVersion' | 'maxVersion'>;

export interface SmtpConnectOptions {
  port: number;
  host?: string;
  /** Whether to use implicit TLS, or its options. */
  tls?: boolean | TlsVersions;
  /** The loopback address to connect from. Each /24 of 127.0.0.0/8 counts as a separate network. */
  localAddress?: string;
  /** How long to wait for a reply. */
  timeoutMs?: number;
}

const REPLY_TIMEOUT_MS = 10_000;

export class SmtpClient {
  private buffered = Buffer.alloc(0);
  private readonly replies: SmtpReply[] = [];
  private partial: string[] = [];
  private waiting: { resolve: (reply: SmtpReply) => void; reject: (reason: Error) => void } | undefined;
  private ended: Error | undefined;
  private readonly end = Promise.withResolvers<void>();

  private constructor(
    private socket: Socket,
    private readonly timeoutMs: number,
  ) {
    this.listen();
  }

  /** Connects; the greeting is the first reply to `expect`. */
  static async connect(options: SmtpConnectOptions): Promise<SmtpClient> {
    const where = { host: options.host ?? '127.0.0.1', port: options.port };
    const socket = options.tls
      ? connectTls({ ...where, ...(options.tls !== true && options.tls), rejectUnauthorized: false })
      : connectTcp({ ...where, noDelay: true, localAddress: options.localAddress });
    await once(socket, options.tls ? 'secureConnect' : 'connect');
    return new SmtpClient(socket, options.timeoutMs ?? REPLY_TIMEOUT_MS);
  }

  /** Connects and sends EHLO. The next command may be MAIL FROM. */
  static async greet(options: SmtpConnectOptions): Promise<SmtpClient> {
    const client = await SmtpClient.connect(options);
    await client.expect(220);
    await client.say('EHLO client.example', 250);
    return client;
  }

  /** Sends a command line, with CRLF. */
  send(line: string): void {
    this.write(`${line}\r\n`);
  }

  /** Sends raw bytes. */
  write(bytes: Uint8Array | string): void {
    this.socket.write(bytes);
  }

  /** Sends a message after 354: dot-stuffed, ended with the final dot. Every byte is sent unchanged. */
  data(raw: Uint8Array | string): void {
    this.write(dotStuff(raw));
  }

  /** Resolves with the next reply. */
  reply(): Promise<SmtpReply> {
    const ready = this.replies.shift();
    if (ready) return Promise.resolve(ready);
    if (this.ended) return Promise.reject(this.ended);
    const { promise, resolve, reject } = Promise.withResolvers<SmtpReply>();
    const timer = setTimeout(() => {
      this.waiting = undefined;
      reject(new Error(`no reply in ${this.timeoutMs} ms`));
    }, this.timeoutMs);
    this.waiting = { resolve, reject };
    return promise.finally(() => clearTimeout(timer));
  }

  /** Resolves with the next reply, which must have this code (a number) or begin with these digits (`'4'`, `'55'`). */
  async expect(code: number | string): Promise<SmtpReply> {
    const reply = await this.reply();
    if (!String(reply.code).startsWith(String(code))) {
      throw new Error(`expected ${code}, was answered ${reply.code} ${reply.lines.join(' / ')}`);
    }
    return reply;
  }

  /** Sends a command line, and resolves with its reply. */
  say(line: string, code: number | string): Promise<SmtpReply> {
    this.send(line);
    return this.expect(code);
  }

  /** Sends a mail to one recipient after EHLO or another mail. Rejects unless every reply accepts it. */
  async deliver(from: string, to: string, raw: Uint8Array | string): Promise<void> {
    await this.say(`MAIL FROM:<${from}>`, 250);
    await this.say(`RCPT TO:<${to}>`, 250);
    await this.say('DATA', 354);
    this.data(raw);
    await this.expect(250);
  }

  /** Sends everything before a mail's data in one write, as mail servers do (RFC 2920). `data` may follow. */
  async sendEnvelope(from: string, to: string): Promise<void> {
    this.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
    for (const code of [250, 250, 354]) await this.expect(code);
  }

  /** Sends STARTTLS and does the handshake. EHLO must follow (RFC 3207 4.2). */
  async starttls(versions: TlsVersions = {}): Promise<void> {
    await this.say('STARTTLS', 220);
    await this.upgrade(versions);
  }

  /** Does only the handshake, after the reply 220 to STARTTLS. */
  async upgrade(versions: TlsVersions = {}): Promise<void> {
    this.socket.removeAllListeners();
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false, ...versions });
    await once(secure, 'secureConnect');
    this.socket = secure;
    this.listen();
  }

  /** Resolves when the server has closed the connection. */
  closed(): Promise<void> {
    return this.end.promise;
  }

  /** Half-closes the connection: what was written is still sent, and replies are still read. */
  finish(): void {
    this.socket.end();
  }

  /** Closes the connection at once. */
  close(): void {
    this.socket.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private listen(): void {
    this.socket.on('data', (chunk: Buffer) => this.take(chunk));
    this.socket.on('error', (fault: Error) => this.stop(fault));
    this.socket.on('close', () => this.stop(new Error('the server closed the connection')));
  }

  private take(chunk: Buffer): void {
    this.buffered = Buffer.concat([this.buffered, chunk]);
    for (let end = this.buffered.indexOf('\n'); end >= 0; end = this.buffered.indexOf('\n')) {
      const line = this.buffered.toString('utf8', 0, end).replace(/\r$/, '');
      this.buffered = this.buffered.subarray(end + 1);
      this.partial.push(line.slice(4));
      if (line[3] === '-') continue;
      const reply = { code: Number(line.slice(0, 3)), lines: this.partial };
      this.partial = [];
      if (!this.waiting) this.replies.push(reply);
      this.waiting?.resolve(reply);
      // Cleared here, because the next reply may be in the same chunk.
      this.waiting = undefined;
    }
  }

  private stop(reason: Error): void {
    this.ended ??= reason;
    this.waiting?.reject(this.ended);
    this.end.resolve();
  }
}

/**
 * Encodes a message for the wire after 354 (RFC 5321 4.5.2): dots at the start of a line are doubled, and the final dot is
 * added. Only CRLF ends a line. A last line without one gets one, because SMTP can't do without.
 */
export function dotStuff(raw: Uint8Array | string): Buffer {
  // Latin-1 maps each byte to one character and back.
  const text = Buffer.from(raw as Uint8Array).toString('latin1');
  const stuffed = text.replace(/(^|\r\n)\./g, '$1..');
  const end = text === '' || text.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n';
  return Buffer.from(stuffed + end, 'latin1');
}

export interface Mail {
  port: number;
  from: string;
  to: string[];
  raw: Uint8Array | string;
  host?: string;
}

export interface MailReplies {
  from: SmtpReply;
  /** One for each of `to`, in order. */
  to: SmtpReply[];
  /** The reply to the message; undefined when no recipient was accepted. */
  data: SmtpReply | undefined;
}

/** Sends one mail over a new connection, and returns the replies, even refusals. */
export async function sendMail(mail: Mail): Promise<MailReplies> {
  using client = await SmtpClient.greet({ port: mail.port, host: mail.host });
  const ask = (line: string) => {
    client.send(line);
    return client.reply();
  };
  const from = await ask(`MAIL FROM:<${mail.from}>`);
  const to: SmtpReply[] = [];
  if (from.code === 250) for (const address of mail.to) to.push(await ask(`RCPT TO:<${address}>`));
  if (!to.some(({ code }) => code === 250 || code === 251)) return { from, to, data: undefined };
  let data = await ask('DATA');
  if (data.code === 354) {
    client.data(mail.raw);
    data = await client.reply();
  }
  await ask('QUIT');
  return { from, to, data };
}

function once(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(event, () => {
      socket.off('error', reject);
      resolve();
    });
  });
}
