/** A mail server in this process that replies as a test wants, and records the commands. It never accepts a message. */
import { createServer, type Socket } from 'node:net';

/** What the server does at a step: it replies with lines (without line ends), stays silent, or hangs up. */
export type Saying = string | 'silence' | 'hang up';

export interface ExchangePlan {
  greeting?: Saying;
  ehlo?: Saying;
  mail?: Saying;
  /** The reply for the address between the brackets; without one, the user is unknown. */
  rcpt?: (address: string) => Saying | undefined;
  quit?: Saying;
}

export interface MailExchange extends AsyncDisposable {
  host: string;
  port: number;
  /** May be changed between sessions. */
  plan: ExchangePlan;
  /** The commands of each session, in order. */
  readonly sessions: string[][];
  /** The addresses in RCPT commands, except invented ones. */
  asked(): string[];
  /** The most sessions open at the same time. */
  readonly peak: number;
  /** Sessions open now. */
  readonly open: number;
}

export const unknownUser = '550 5.1.1 No such user here';

export async function startMailExchange(plan: ExchangePlan = {}): Promise<MailExchange> {
  const sessions: string[][] = [];
  const sockets = new Set<Socket>();
  const state = { plan, peak: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    state.peak = Math.max(state.peak, sockets.size);
    const said: string[] = [];
    sessions.push(said);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    const say = (saying: Saying) => {
      if (saying === 'hang up') socket.end();
      else if (saying !== 'silence') socket.write(saying.replace(/\n?$/, '\n').replace(/\r?\n/g, '\r\n'));
    };
    say(state.plan.greeting ?? '220 mx.test ESMTP');
    let rest = '';
    socket.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        said.push(line);
        say(answer(state.plan, line));
        if (line === 'QUIT') socket.end();
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return {
    host: '127.0.0.1',
    port,
    get plan() {
      return state.plan;
    },
    set plan(next) {
      state.plan = next;
    },
    sessions,
    asked: () =>
      sessions
        .flat()
        .flatMap((line) => /^RCPT TO:<(.*)>$/.exec(line)?.[1] ?? [])
        .filter((address) => !isNobody(address)),
    get peak() {
      return state.peak;
    },
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Returns whether an address is an invented one, with which a probe tests whether a server accepts every mailbox. */
export function isNobody(address: string): boolean {
  return /^[0-9a-f]{20}@/.test(address);
}

function answer({ ehlo, mail, rcpt, quit }: ExchangePlan, line: string): Saying {
  if (line.startsWith('EHLO ')) return ehlo ?? '250-mx.test\n250-SIZE 1000\n250 SMTPUTF8';
  if (line.startsWith('MAIL FROM:<>')) return mail ?? '250 2.1.0 Ok';
  const recipient = /^RCPT TO:<(.*)>$/.exec(line)?.[1];
  if (recipient !== undefined) return rcpt?.(recipient) ?? unknownUser;
  return line === 'QUIT' ? (quit ?? '221 2.0.0 Bye') : '502 5.5.2 What?';
}
