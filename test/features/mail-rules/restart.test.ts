/** What rules send across a restart: after a crash, after an orderly stop, and with the clock set in between. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson, type Serving, startServing } from '../../doors/operator/command-process.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Receiver, startReceiver } from '../../peers/https-receiver.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { type DiaryLine, makeRaw } from './forwarding.ts';

const HOUR_MS = 3_600_000;

/** A server that is stopped and started again on the same folder, with a rule that posts a notice of each mail. */
class Restarted implements AsyncDisposable {
  readonly clock = new FakeClock();
  private readonly dir = mkdtempSync(join(tmpdir(), 'postern-errands-'));
  private readonly serverKey = randomBytes(32);
  private running: RunningAppliance | null = null;
  private account = { key: '', address: '' };

  constructor(readonly receiver: Receiver) {}

  async start(): Promise<void> {
    this.running = await startAppliance({
      clock: this.clock,
      dataDir: this.dir,
      key: this.serverKey,
      logLevel: 'info',
      settings: { webhook_allow_networks: '127.0.0.0/8', limits: 'off' },
    });
    if (this.account.key !== '') return;
    const holder = await this.running.holder();
    this.account = { key: holder.key, address: (await this.running.inbox(holder)).address };
    const template = JSON.stringify({ text: '{{subject}}' });
    await this.call('POST', '/rules', {
      notify: { url: `http://127.0.0.1:${this.receiver.port}/`, template },
    });
  }

  call(method: string, path: string, body?: unknown) {
    return this.running!.request(method, `/api/v1${path}`, { key: this.account.key, body });
  }

  async stop(): Promise<void> {
    await this.running?.[Symbol.asyncDispose]();
    this.running = null;
  }

  /** Sets the clock while the server is down. */
  async restart({ setByMs = 0, passMs = 0 } = {}): Promise<void> {
    await this.stop();
    await this.clock.advance(passMs);
    this.clock.set(this.clock.nowUs() + setByMs * 1000);
    await this.start();
  }

  /** Sends a mail by SMTP. Returns the id of its message. */
  async deliver(): Promise<string> {
    const mail = { from: 'bob@else.test', to: [this.account.address], raw: makeRaw() };
    const { data } = await sendMail({ port: this.running!.smtpPort, ...mail });
    expect(data?.code).toBe(250);
    return (await this.call('GET', '/messages')).json.data[0].id;
  }

  /** Sends a mail whose notice is answered with a failure. Returns its id. */
  async failed(): Promise<string> {
    this.receiver.answer({ status: 503 });
    const id = await this.deliver();
    await this.line(id, ({ attempts }) => attempts === 1);
    this.receiver.answer({ status: 200 });
    return id;
  }

  /** Returns the diary line of a message, once it matches. */
  async line(id: string, fits: (line: DiaryLine) => boolean): Promise<DiaryLine> {
    const giveUp = performance.now() + 8_000;
    for (;;) {
      const [line] = (await this.call('GET', `/messages/${id}/diary`)).json.data as DiaryLine[];
      if (line && fits(line)) return line;
      if (performance.now() > giveUp) throw new Error(`the line stays ${JSON.stringify(line)}`);
      await Bun.sleep(2);
    }
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
    await this.receiver[Symbol.asyncDispose]();
  }
}

let own: Restarted;
beforeEach(async () => {
  own = new Restarted(await startReceiver({ kind: 'http' }));
  await own.start();
});
afterEach(() => own[Symbol.asyncDispose]());

const isOver = ({ status }: DiaryLine) => status !== 'pending';

describe('a notice that waits for its next attempt', () => {
  test('waits for the rest of its delay after a restart, and is then sent', async () => {
    const id = await own.failed();
    await own.restart();
    await own.clock.advance(1_000);
    expect(await own.line(id, () => true)).toMatchObject({ status: 'pending', attempts: 1 });
    expect(own.receiver.requests).toHaveLength(1);
    await own.clock.advance(10_000);
    expect(await own.line(id, isOver)).toMatchObject({ status: 'done', attempts: 2 });
    expect(own.receiver.requests).toHaveLength(2);
  });

  test('is sent at once when it came due while the server was down', async () => {
    const id = await own.failed();
    await own.restart({ passMs: HOUR_MS });
    expect(await own.line(id, isOver)).toMatchObject({ status: 'done', attempts: 2 });
  });

  test('is sent at once when the clock was set back while the server was down', async () => {
    const id = await own.failed();
    await own.restart({ setByMs: -5 * HOUR_MS });
    expect(await own.line(id, isOver)).toMatchObject({ status: 'done', attempts: 2 });
    expect(own.receiver.requests).toHaveLength(2);
  });

  test('is sent at once even when only its last attempt is in the future', async () => {
    const id = await own.failed();
    // It was tried again hours later, while the clock was right.
    own.receiver.answer({ status: 503 });
    await own.clock.leap(3 * HOUR_MS);
    await own.line(id, ({ attempts }) => attempts === 2);
    own.receiver.answer({ status: 200 });
    await own.restart({ setByMs: -HOUR_MS });
    expect(await own.line(id, isOver)).toMatchObject({ status: 'done', attempts: 3 });
  });

  test('planned by a clock that was days ahead is sent at once when the clock is right again', async () => {
    const id = await own.failed();
    own.receiver.answer({ status: 503 });
    await own.clock.leap(10 * 24 * HOUR_MS);
    await own.line(id, ({ attempts }) => attempts === 2);
    own.receiver.answer({ status: 200 });
    await own.restart({ setByMs: -9 * 24 * HOUR_MS });
    expect(await own.line(id, isOver)).toMatchObject({ status: 'done', attempts: 3 });
  });
});

test('a notice interrupted by an orderly stop is sent again after the next start, and is in the diary once', async () => {
  own.receiver.answer({ how: 'no answer' }, { status: 200 });
  const id = await own.deliver();
  await own.receiver.received(1);
  await own.restart();
  expect(await own.line(id, isOver)).toMatchObject({ status: 'done', attempts: 1 });
  expect(own.receiver.requests).toHaveLength(2);
});

describe('a SIGKILL', () => {
  const settings = {
    POSTERN_DISK_FLOOR: '0',
    POSTERN_LIMITS: 'off',
    POSTERN_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  };

  /** Sends a mail with a notice, kills the server at `moment`, and starts it again. */
  async function killAt(moment: () => Promise<unknown>): Promise<{ line: DiaryLine; requests: number }> {
    const dir = mkdtempSync(join(tmpdir(), 'postern-errands-kill-'));
    const env = { ...settings, POSTERN_DATA_DIR: dir };
    const { receiver } = own;
    let serving: Serving = await startServing(['serve'], env);
    const created = await posternJson<{ api_key: string }>(
      ['account', 'create', '--email', 'a@example.org'],
      env,
    );
    // biome-ignore lint/suspicious/noExplicitAny: answers as they are on the wire.
    const call = async (path: string, body?: unknown): Promise<any> => {
      const headers = { authorization: `Bearer ${created.api_key}`, 'content-type': 'application/json' };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${serving.ready.http}/api/v1${path}`, init)).json()) as unknown;
    };
    try {
      const { address } = (await call('/inboxes', {})).data;
      const url = `http://127.0.0.1:${receiver.port}/`;
      await call('/rules', { notify: { url, template: '{"text": "{{subject}}"}' } });
      const port = Number(serving.ready.smtp.split(':').at(-1));
      const { data } = await sendMail({ port, from: 'bob@else.test', to: [address], raw: makeRaw() });
      expect(data?.code).toBe(250);
      await moment();
      serving.kill('SIGKILL');
      await serving.exited;
      receiver.answer({ status: 200 });
      serving = await startServing(['serve'], env);
      const [{ id }] = (await call('/messages')).data;
      for (;;) {
        const [line] = (await call(`/messages/${id}/diary`)).data as DiaryLine[];
        if (line && isOver(line)) return { line, requests: receiver.requests.length };
        await Bun.sleep(5);
      }
    } finally {
      serving.kill('SIGKILL');
      await serving.exited;
      rmSync(dir, { recursive: true, force: true });
    }
  }

  test('before the receiver of a notice answers makes the server send it again', async () => {
    own.receiver.answer({ how: 'no answer' });
    const { line, requests } = await killAt(() => own.receiver.received(1));
    expect(line).toMatchObject({ status: 'done', attempts: 1 });
    expect(requests).toBe(2);
  });

  test('while the receiver of a notice answers repeats it only if its result was not stored', async () => {
    own.receiver.answer({ status: 200 });
    const { line, requests } = await killAt(() => own.receiver.received(1));
    expect(line).toMatchObject({ status: 'done', attempts: 1 });
    expect([1, 2]).toContain(requests);
  });

  test('right after the 250 loses no notice', async () => {
    const { line, requests } = await killAt(async () => {});
    expect(line).toMatchObject({ status: 'done', attempts: 1 });
    expect([1, 2]).toContain(requests);
  });
});
