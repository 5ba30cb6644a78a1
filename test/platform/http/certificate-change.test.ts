/** The certificate of https is replaced while clients connect, stay and leave. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { createLog } from '../../../src/platform/core/log.ts';
import { type HttpSockets, openSockets } from '../../../src/platform/http/sockets.ts';
import { type Descriptors, openDescriptors } from '../../../src/platform/net/descriptors.ts';
import { Succession } from '../../../src/platform/net/succession.ts';
import { FakeClock } from '../../peers/fake-clock.ts';

const LEAVE_MS = 70_000;
const onLinux = describe.skipIf(process.platform !== 'linux');
const pairs: { cert: string; key: string }[] = [];

beforeAll(async () => {
  for (let no = 0; no < 12; no++) {
    const { cert, private: key } = await generate([{ name: 'commonName', value: `no ${no}` }], {
      keyType: 'ec',
    });
    pairs.push({ cert, key });
  }
});

interface Stage extends AsyncDisposable {
  sockets: HttpSockets;
  clock: FakeClock;
  logged: string[];
  /** Older certificates have been replaced. */
  change(no: number): void;
}

function openStage({
  port = 0,
  host = '127.0.0.1',
  descriptors = openDescriptors(),
  answer = async () => new Response('ok'),
} = {}): Stage {
  const clock = new FakeClock();
  const logged: string[] = [];
  const write = (line: string) => void logged.push(line);
  const log = createLog({ form: 'json', level: 'info', colour: false, write, nowUs: () => clock.nowUs() });
  const succeed = (at: number) => new Succession(descriptors, at);
  const secure = { certificate: pairs[0]!, clock, log, succeed, onOpened() {} };
  const sockets = openSockets({ host, port }, secure, answer);
  return {
    sockets,
    clock,
    logged,
    change: (no) => sockets.setCertificate(pairs[no]!),
    [Symbol.asyncDispose]: () => sockets.stop(),
  };
}

/** A client with a connection of its own. */
class Caller {
  private text = '';
  private waiting = Promise.withResolvers<string>();
  readonly closed = Promise.withResolvers<void>();
  certificate = '';

  private constructor(readonly socket: TLSSocket) {
    socket.on('data', (data) => {
      this.text += data;
      const whole = /^HTTP\/1\.1 200[\s\S]*\r\n\r\nok$/.exec(this.text);
      if (!whole) return;
      this.waiting.resolve(this.text);
      this.text = '';
    });
    const fail = (reason: string) => {
      this.waiting.reject(new Error(reason));
      this.closed.resolve();
    };
    socket.on('error', (fault) => fail(`lost: ${fault.message}`));
    socket.on('close', () => fail('lost: closed before the answer'));
    this.waiting.promise.catch(() => {});
  }

  static async open(port: number, host: string): Promise<Caller> {
    const socket = connect({ port, host, rejectUnauthorized: false });
    const caller = new Caller(socket);
    await new Promise<void>((resolve, reject) => {
      socket.on('secureConnect', resolve);
      caller.waiting.promise.catch(reject);
    });
    caller.certificate = String(socket.getPeerCertificate().subject?.CN);
    return caller;
  }

  ask(): Promise<string> {
    this.waiting = Promise.withResolvers<string>();
    this.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi');
    return this.waiting.promise;
  }
}

/** Returns the certificates that new connections get. */
async function readCertificates(port: number, host: string): Promise<Set<string>> {
  const callers = await Promise.all(Array.from({ length: 12 }, () => Caller.open(port, host)));
  for (const { socket } of callers) socket.destroy();
  return new Set(callers.map(({ certificate }) => certificate));
}

/** Six clients that send requests all the time: three over a new connection each, three over one until they are asked to close. */
function gather(port: number, host: string): { answered: number; isOver: boolean; leave(): Promise<void> } {
  const crowd = {
    answered: 0,
    isOver: false,
    async leave() {
      crowd.isOver = true;
      await all;
    },
  };
  const come = async (mayStay: boolean) => {
    while (!crowd.isOver) {
      const caller = await Caller.open(port, host);
      let reply = '';
      do {
        reply = await caller.ask();
        crowd.answered += 1;
      } while (mayStay && !crowd.isOver && !/^connection: close/im.test(reply));
      caller.socket.destroy();
    }
  };
  const all = Promise.all(Array.from({ length: 6 }, (_, no) => come(no < 3)));
  // `leave` rejects if a request was lost.
  all.catch(() => (crowd.isOver = true));
  return crowd;
}

const toCallers = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

onLinux('while the certificate changes', () => {
  test.each(['127.0.0.1', '0.0.0.0', '::1', '::'])(
    'no connection or request at %s is lost, whether new or kept',
    async (host) => {
      await using at = openStage({ host });
      const { port } = at.sockets;
      const crowd = gather(port, toCallers(host));
      for (let no = 1; no <= 3; no++) {
        const enough = crowd.answered + 60;
        at.change(no);
        while (crowd.answered < enough && !crowd.isOver) await Bun.sleep(1);
      }
      await crowd.leave();
      expect(await readCertificates(port, toCallers(host))).toEqual(new Set(['no 3']));
      await at.clock.advance(LEAVE_MS);
      expect(await readCertificates(port, toCallers(host))).toEqual(new Set(['no 3']));
    },
  );

  test('a dual-stack address serves IPv4 as well', async () => {
    await using at = openStage({ host: '::' });
    for (let no = 1; no <= 3; no++) {
      at.change(no);
      expect(await readCertificates(at.sockets.port, '127.0.0.1')).toEqual(new Set([`no ${no}`]));
    }
  });

  test('new connections get the newest certificate in whatever order the servers before it leave', async () => {
    await using at = openStage();
    const { port } = at.sockets;
    // More than may leave at the same time.
    for (let no = 1; no < pairs.length; no++) {
      at.change(no);
      expect(await readCertificates(port, '127.0.0.1')).toEqual(new Set([`no ${no}`]));
      await at.clock.advance(no % 3 === 0 ? LEAVE_MS - 10_000 : 9_000);
      expect(await readCertificates(port, '127.0.0.1')).toEqual(new Set([`no ${no}`]));
    }
    await at.clock.advance(LEAVE_MS);
    expect(at.clock.timersSet).toBe(0);
    expect(openDescriptors().findSharing(port)).toHaveLength(1);
    expect(await readCertificates(port, '127.0.0.1')).toEqual(new Set([`no ${pairs.length - 1}`]));
  });
});

onLinux('a server whose certificate was replaced', () => {
  test('serves a client that had connected but not begun TLS', async () => {
    await using at = openStage();
    const { port } = at.sockets;
    const raw = connectPlain({ port, host: '127.0.0.1' });
    await new Promise<void>((resolve) => raw.on('connect', () => resolve()));
    at.change(1);
    const seen = await new Promise<string>((resolve, reject) => {
      const socket = connect({ socket: raw, rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject?.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });
    expect(seen).toBe('no 0');
  });

  test('answers a request that takes longer than it stays', async () => {
    const held = Promise.withResolvers<void>();
    const answer = async () => {
      await held.promise;
      return new Response('ok');
    };
    await using at = openStage({ answer });
    const caller = await Caller.open(at.sockets.port, '127.0.0.1');
    const reply = caller.ask();
    at.change(1);
    await at.clock.advance(LEAVE_MS);
    held.resolve();
    expect(await reply).toMatch(/^connection: close/im);
    await caller.closed.promise;
  });

  test('continues a stream that is open', async () => {
    const more = Promise.withResolvers<void>();
    const body = async function* () {
      yield 'first';
      await more.promise;
      yield 'ok';
    };
    await using at = openStage({ answer: async () => new Response(body()) });
    const { port } = at.sockets;
    const reply = await fetch(`https://127.0.0.1:${port}/`, { tls: { rejectUnauthorized: false } });
    at.change(1);
    await at.clock.advance(LEAVE_MS);
    expect(await readCertificates(port, '127.0.0.1')).toEqual(new Set(['no 1']));
    more.resolve();
    expect(await reply.text()).toBe('firstok');
  });
});

test('where the kernel can’t direct connections, the old server leaves at once, and the log says so', async () => {
  const blind: Descriptors = { ...openDescriptors(), findSharing: () => [], directTo: () => false };
  for (const descriptors of [blind, Object.assign(openDescriptors(), { directTo: () => false })]) {
    await using at = openStage({ descriptors });
    for (const no of [1, 2]) {
      at.change(no);
      expect(await readCertificates(at.sockets.port, '127.0.0.1')).toEqual(new Set([`no ${no}`]));
    }
    expect(at.clock.timersSet).toBe(0);
    expect(at.logged).toHaveLength(2);
    expect(at.logged[0]).toContain('may be reset');
  }
});

test('loading the same certificate again changes nothing', async () => {
  await using at = openStage();
  at.change(0);
  expect(at.clock.timersSet).toBe(0);
  expect(await readCertificates(at.sockets.port, '127.0.0.1')).toEqual(new Set(['no 0']));
});

test('a certificate that comes after the stop opens nothing', async () => {
  const at = openStage();
  await at.sockets.stop();
  at.change(1);
  expect(openDescriptors().findListening(at.sockets.port)).toEqual([]);
});

test('a port on which another server of this user listens is refused, with and without https', async () => {
  await using at = openStage();
  const { port } = at.sockets;
  expect(() => openStage({ port })).toThrow('in use');
  expect(await readCertificates(port, '127.0.0.1')).toEqual(new Set(['no 0']));
  const plain = openSockets({ host: '127.0.0.1', port: 0 }, undefined, () => new Response('ok'));
  expect(() => openSockets(plain, undefined, () => new Response('ok'))).toThrow('in use');
  await plain.stop();
});
