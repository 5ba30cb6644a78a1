/**
 * The receiving end of mail that we send: a server in this process that replies as a test wants. It uses bare sockets, so
 * it can misbehave in any way. It offers STARTTLS if it has a certificate.
 */
import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

export interface TakenMail {
  from: string;
  to: string[];
  /** As sent, with dot-stuffing removed. */
  data: string;
  isSecure: boolean;
  /** The number of its connection, from 1. */
  connection: number;
  helo: string;
  /** `user:pass` of AUTH PLAIN. */
  login: string | null;
}

/** The reaction to a command: a reply, silence, or hanging up. */
export type Say = string | 'silence' | 'hang up';

export interface MailServerOptions {
  port?: number;
  host?: string;
  /** PEM. STARTTLS is offered if it is set. */
  tls?: { key: string; cert: string };
  /** Whether TLS begins before the greeting. */
  isImplicit?: boolean;
  /** The keywords in the reply to EHLO. */
  extensions?: string[];
  greeting?: () => Say | Promise<Say>;
  onEhlo?: () => Say | null;
  onMail?: (from: string) => Say | null | Promise<Say | null>;
  onRcpt?: (to: string) => Say | null;
  onData?: () => Say | null;
  /** Called when a part of a mail has arrived, with its connection. */
  onPiece?: (socket: Socket) => void;
  /** The reply after the final dot. A 2xx makes the mail one of `mails`. */
  onMessage?: (mail: TakenMail) => Say | null | Promise<Say | null>;
  onStartTls?: () => Say | null;
  /** Plaintext bytes that are sent right after the reply to STARTTLS. */
  injected?: string;
  onAuth?: (login: string) => Say | null;
}

export interface MailServer extends AsyncDisposable {
  host: string;
  port: number;
  readonly mails: TakenMail[];
  /** Connections made so far. */
  readonly connections: number;
  /** Connections open now. */
  readonly open: number;
  /** The most connections open at the same time. */
  readonly mostOpen: number;
  /** The commands of all connections, in order. */
  readonly said: string[];
  options: MailServerOptions;
  /** Sends bytes to every connection, unchanged. */
  write(bytes: string): void;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const state = { connections: 0, mostOpen: 0, mails: [] as TakenMail[], said: [] as string[] };
  const held = { options };
  const listener = createServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    state.mostOpen = Math.max(state.mostOpen, sockets.size);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    void new Conversation(socket, held, state, state.connections).begin();
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((done) => listener.listen(options.port ?? 0, host, done));
  return {
    host,
    port: (listener.address() as { port: number }).port,
    mails: state.mails,
    said: state.said,
    get connections() {
      return state.connections;
    },
    get open() {
      return sockets.size;
    },
    get mostOpen() {
      return state.mostOpen;
    },
    get options() {
      return held.options;
    },
    set options(next) {
      held.options = next;
    },
    write(bytes) {
      for (const socket of sockets) socket.write(bytes);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => listener.close(() => done()));
    },
  };
}

const END = '\r\n.\r\n';

class Conversation {
  private buffered = '';
  private parts: string[] = [];
  private tail = '';
  private socket: Socket;
  private isSecure = false;
  private helo = '';
  private login: string | null = null;
  private envelope: { from: string; to: string[] } | null = null;
  private inData = false;
  /** Once silent, it stays silent. */
  private isMute = false;
  private work = Promise.resolve();

  constructor(
    private readonly raw: Socket,
    private readonly held: { options: MailServerOptions },
    private readonly state: { mails: TakenMail[]; said: string[] },
    private readonly number: number,
  ) {
    this.socket = raw;
  }

  async begin(): Promise<void> {
    if (this.held.options.isImplicit) this.secure();
    this.listen();
    this.say((await this.held.options.greeting?.()) ?? '220 far.test ESMTP');
  }

  private listen(): void {
    this.socket.on('data', (piece: Buffer) => {
      const text = piece.toString('latin1');
      const tail = this.tail + text;
      this.tail = tail.slice(-END.length + 1);
      this.parts.push(text);
      if (this.inData) this.held.options.onPiece?.(this.raw);
      // A large mail is examined once, when its end has arrived.
      if (this.inData && !tail.includes(END)) return;
      this.buffered += this.parts.join('');
      this.parts = [];
      this.work = this.work.then(() => this.read());
    });
  }

  private say(what: Say): void {
    if (what === 'silence') this.isMute = true;
    if (this.isMute) return;
    if (what === 'hang up') this.raw.destroy();
    else this.socket.write(`${what}\r\n`);
  }

  private async read(): Promise<void> {
    for (;;) {
      const end = this.inData ? this.buffered.indexOf(END) : this.buffered.indexOf('\r\n');
      if (end < 0 || this.raw.destroyed) return;
      const text = this.buffered.slice(0, end);
      this.buffered = this.buffered.slice(end + (this.inData ? 5 : 2));
      if (this.inData) await this.message(`${text}\r\n`);
      else await this.command(text);
    }
  }

  private async command(line: string): Promise<void> {
    const { options } = this.held;
    this.state.said.push(line);
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') {
      this.helo = line.slice(5);
      const offers = [...(options.extensions ?? ['PIPELINING', 'SIZE 10000000', '8BITMIME'])];
      if (options.tls && !this.isSecure) offers.push('STARTTLS');
      const lines = ['far.test', ...offers];
      const text = lines.map((one, n) => `250${n === lines.length - 1 ? ' ' : '-'}${one}`).join('\r\n');
      this.say(options.onEhlo?.() ?? text);
    } else if (line.toUpperCase() === 'STARTTLS') {
      const reply = options.onStartTls?.() ?? '220 go ahead';
      if (reply === 'silence' || reply === 'hang up' || !reply.startsWith('220')) return this.say(reply);
      this.socket.write(`${reply}\r\n${options.injected ?? ''}`);
      this.socket.removeAllListeners('data');
      this.buffered = '';
      this.secure();
      this.listen();
    } else if (line.toUpperCase().startsWith('AUTH PLAIN ')) {
      const [, user, pass] = Buffer.from(line.slice(11), 'base64').toString().split('\0');
      this.login = `${user}:${pass}`;
      this.say(options.onAuth?.(this.login) ?? '235 2.7.0 welcome');
    } else if (verb === 'MAIL') {
      const from = /<(.*)>/.exec(line)?.[1] ?? '';
      const reply = (await options.onMail?.(from)) ?? '250 2.1.0 ok';
      if (reply.startsWith('250')) this.envelope = { from, to: [] };
      this.say(reply);
    } else if (verb === 'RCPT') {
      const to = /<(.*)>/.exec(line)?.[1] ?? '';
      const reply = options.onRcpt?.(to) ?? (this.envelope ? '250 2.1.5 ok' : '503 5.5.1 MAIL first');
      if (reply.startsWith('250')) this.envelope?.to.push(to);
      this.say(reply);
    } else if (verb === 'DATA') {
      const none = this.envelope && this.envelope.to.length > 0 ? '354 go on' : '503 5.5.1 no recipients';
      const reply = options.onData?.() ?? none;
      this.inData = reply.startsWith('354');
      this.say(reply);
    } else if (verb === 'RSET') {
      this.envelope = null;
      this.say('250 2.0.0 ok');
    } else if (verb === 'QUIT') {
      this.say('221 2.0.0 bye');
      this.socket.end();
    } else this.say('500 5.5.2 what?');
  }

  private async message(text: string): Promise<void> {
    this.inData = false;
    const { helo, isSecure, login } = this;
    const data = text.replace(/(^|\r\n)\./g, '$1');
    const mail = { ...this.envelope!, data, isSecure, connection: this.number, helo, login };
    this.envelope = null;
    const reply = (await this.held.options.onMessage?.(mail)) ?? '250 2.0.0 taken';
    if (reply.startsWith('2')) this.state.mails.push(mail);
    this.say(reply);
  }

  private secure(): void {
    const { tls } = this.held.options;
    const secure = new TLSSocket(this.raw, { isServer: true, secureContext: createSecureContext(tls ?? {}) });
    secure.on('error', () => this.raw.destroy());
    this.socket = secure;
    this.isSecure = true;
  }
}
