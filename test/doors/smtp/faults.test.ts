/** SMTP faults on demand: what a session gets when a rule asks for a fault. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { startTrap, type Trap } from '../../features/faults/trap.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { SmtpClient, type SmtpReply, sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { until } from '../../until.ts';

/** Longer than anything else waits, so that it can be recognized among all timers. */
const DELAY_MS = 299_999;

class WatchedClock extends FakeClock {
  /** Delays of that length that neither ended nor were cancelled. */
  delays = 0;

  override after(delayMs: number, run: () => void) {
    if (delayMs !== DELAY_MS) return super.after(delayMs, run);
    this.delays += 1;
    const cancel = super.after(delayMs, () => {
      this.delays -= 1;
      run();
    });
    return () => {
      this.delays -= 1;
      cancel();
    };
  }
}

const clock = new WatchedClock();
let trap: Trap;
let port: number;
beforeAll(async () => {
  trap = await startTrap(clock);
  port = trap.appliance.smtpPort;
});
afterEach(() => trap.ask('DELETE'));
afterAll(() => trap[Symbol.asyncDispose]());

const raw = 'Subject: hello\r\n\r\nbody\r\n';
const said = ({ code, lines }: SmtpReply) => `${code} ${lines.join('|')}`;

/** How many messages an address has. */
async function countMail(address: string): Promise<number> {
  const { key, request } = { key: trap.appliance.apiKey ?? '', request: trap.appliance.request };
  const { status, json } = await request('GET', `/api/v1/inboxes/${address}/messages`, { key });
  return status === 404 ? 0 : json.data.length;
}

/** Commands up to a stage, and the one that it answers. */
const before: Record<string, { steps: [string, number][]; last: string; ok: number }> = {
  ehlo: { steps: [], last: 'EHLO client.example', ok: 250 },
  auth: {
    steps: [['EHLO client.example', 250]],
    last: `AUTH PLAIN ${Buffer.from('\0ann\0secret').toString('base64')}`,
    ok: 235,
  },
  mail: { steps: [['EHLO client.example', 250]], last: 'MAIL FROM:<app@x.test>', ok: 250 },
};
before.rcpt = {
  steps: [...before.mail!.steps, ['MAIL FROM:<app@x.test>', 250]],
  last: 'RCPT TO:<stage@y.test>',
  ok: 250,
};
before.data = { steps: [...before.rcpt.steps, ['RCPT TO:<stage@y.test>', 250]], last: 'DATA', ok: 354 };
before.dot = { steps: [...before.data.steps, ['DATA', 354]], last: `${raw}.`, ok: 250 };

async function openAt(stage: string): Promise<SmtpClient> {
  const client = await SmtpClient.connect({ port });
  await client.expect(220);
  for (const [line, code] of before[stage]!.steps) await client.say(line, code);
  return client;
}

describe.each(Object.keys(before))('at %s', (stage) => {
  const { last, ok } = before[stage]!;

  test('the reply is sent as set, and the session continues', async () => {
    await trap.add({ stage, reply: '451 try later, please', times: 1 });
    await trap.add({ stage, reply: '599 5.9.9 never', times: 1 });
    using client = await openAt(stage);
    const count = await countMail('stage@y.test');
    expect(said(await client.say(last, 451))).toBe('451 try later, please');
    expect(await countMail('stage@y.test')).toBe(count);
    if (stage === 'dot') for (const [line, code] of before.dot!.steps.slice(1)) await client.say(line, code);
    expect(said(await client.say(last, 599))).toBe('599 5.9.9 never');
    if (stage === 'dot') for (const [line, code] of before.dot!.steps.slice(1)) await client.say(line, code);
    await client.say(last, ok);
    if (stage === 'dot') expect(await countMail('stage@y.test')).toBe(count + 1);
    if (stage !== 'data') await client.say('NOOP', 250);
  });

  test('421 ends the connection', async () => {
    await trap.add({ stage, reply: '421 4.3.2 later', times: 1 });
    using client = await openAt(stage);
    await client.say(last, 421);
    await client.closed();
  });

  test('a drop ends the connection without a reply', async () => {
    const { id } = await trap.add({ stage, drop: true, times: 1 });
    const count = await countMail('stage@y.test');
    using client = await openAt(stage);
    client.send(last);
    await expect(client.reply()).rejects.toThrow('closed the connection');
    await client.closed();
    expect(await trap.readHits(id)).toBe(1);
    expect(await countMail('stage@y.test')).toBe(count);
  });

  test('a delay comes before the reply', async () => {
    const { id } = await trap.add({ stage, delay_ms: 5_000, reply: '450 4.2.1 later' });
    using client = await openAt(stage);
    client.send(last);
    const reply = client.reply();
    await trap.untilHit(id);
    await clock.advance(4_999);
    expect(await Promise.race([reply, Promise.resolve('waits')])).toBe('waits');
    await clock.advance(1);
    expect((await reply).code).toBe(450);
  });

  test('a delay without a reply lets the session continue', async () => {
    const { id } = await trap.add({ stage, delay_ms: 300_000, times: 1 });
    using client = await openAt(stage);
    client.send(last);
    await trap.untilHit(id);
    await clock.advance(300_000);
    await client.expect(ok);
  });

  test('a client that goes away during a delay leaves no timer, and no mail', async () => {
    await trap.add({ stage, delay_ms: DELAY_MS });
    const count = await countMail('stage@y.test');
    const client = await openAt(stage);
    client.send(last);
    await until(() => clock.delays === 1);
    client.close();
    await until(() => clock.delays === 0);
    await clock.advance(DELAY_MS);
    expect(await countMail('stage@y.test')).toBe(count);
  });
});

describe('at connect', () => {
  test.each(['554 5.7.1 not you', '421 4.3.2 later', '450 slow down'])(
    '%s replaces the greeting',
    async (reply) => {
      await trap.add({ stage: 'connect', reply, times: 1 });
      using client = await SmtpClient.connect({ port });
      expect(said(await client.reply())).toBe(reply);
      await client.closed();
      using next = await SmtpClient.connect({ port });
      await next.expect(220);
    },
  );

  test('a drop replaces the greeting, after its delay', async () => {
    const { id } = await trap.add({ stage: 'connect', drop: true, delay_ms: 1_000 });
    using client = await SmtpClient.connect({ port });
    await trap.untilHit(id);
    await clock.advance(1_000);
    await client.closed();
  });

  test('a delay without a reply postpones the greeting', async () => {
    const { id } = await trap.add({ stage: 'connect', delay_ms: 1_000 });
    using client = await SmtpClient.connect({ port });
    await trap.untilHit(id);
    await clock.advance(1_000);
    await client.expect(220);
    await client.say('EHLO client.example', 250);
  });
});

test('HELO gets the same faults as EHLO', async () => {
  await trap.add({ stage: 'ehlo', reply: '502 5.5.1 no', times: 2 });
  using client = await SmtpClient.connect({ port });
  await client.expect(220);
  await client.say('EHLO client.example', 502);
  await client.say('HELO client.example', 502);
  await client.say('HELO client.example', 250);
});

test('AUTH LOGIN gets its fault after the password', async () => {
  await trap.add({ stage: 'auth', reply: '454 4.7.0 later', times: 1 });
  using client = await SmtpClient.greet({ port });
  const login = async (code: number) => {
    await client.say('AUTH LOGIN', 334);
    await client.say('YW5u', 334);
    await client.say('c2VjcmV0', code);
  };
  await login(454);
  await login(235);
});

test('a command that is itself wrong gets its usual reply, and uses up no rule', async () => {
  const stages = ['ehlo', 'mail', 'rcpt', 'data'];
  for (const stage of stages) await trap.add({ stage, reply: '450 4.2.1 later', times: 1, skip: 1 });
  using client = await SmtpClient.connect({ port });
  await client.expect(220);
  await client.say('EHLO', 501);
  await client.say('EHLO a b', 501);
  await client.say('MAIL FROM:<a@x.test>', 503);
  await client.say('EHLO client.example', 250);
  await client.say('MAIL FROM:nobody', 501);
  await client.say('RCPT TO:<b@y.test>', 503);
  await client.say('DATA', 503);
  expect((await trap.list()).map(({ hits }) => hits)).toEqual([0, 0, 0, 0]);
  await client.say('MAIL FROM:<a@x.test>', 250);
  await client.say('MAIL FROM:<a@x.test>', 503);
  await client.say('RCPT TO:nobody', 501);
  await client.say('RCPT TO:<b@y.test>', 250);
  await client.say('DATA', 354);
});

test('faults are not counted as bad commands of the client', async () => {
  await trap.add({ stage: 'rcpt', reply: '550 5.1.1 no', times: 30 });
  using client = await openAt('rcpt');
  for (let one = 0; one < 30; one++) await client.say('RCPT TO:<b@y.test>', 550);
  await client.say('RCPT TO:<b@y.test>', 250);
});

test('sender and recipients are matched at each stage that knows them', async () => {
  const rule = { sender: '*@SHOP.test', reply: '450 4.2.1 later' };
  await trap.add({ ...rule, stage: 'mail', sender: 'no@shop.test' });
  await trap.add({ ...rule, stage: 'rcpt', recipient: 'one@*' });
  await trap.add({ ...rule, stage: 'data', recipient: 'two@y.test' });
  await trap.add({ ...rule, stage: 'dot', recipient: '*+tag@y.test' });
  await trap.add({ stage: 'mail', sender: '', reply: '550 5.7.1 no bounces' });
  const codes = async (from: string, ...to: string[]) => {
    const sent = await sendMail({ port, from, to, raw });
    return [sent.from.code, ...sent.to.map(({ code }) => code), sent.data?.code];
  };
  expect(await codes('no@shop.test', 'x@y.test')).toEqual([450, undefined]);
  expect(await codes('', 'x@y.test')).toEqual([550, undefined]);
  expect(await codes('app@shop.test', 'One@y.test', 'x@y.test')).toEqual([250, 450, 250, 250]);
  expect(await codes('app@shop.test', 'x@y.test', 'two@y.test')).toEqual([250, 250, 250, 450]);
  expect(await codes('app@shop.test', 'a+TAG@y.test')).toEqual([250, 250, 450]);
  expect(await codes('app@other.test', 'two@y.test', 'one@y.test')).toEqual([250, 250, 250, 250]);
});

describe('a recipient that asks for a fault by its name', () => {
  test('gets 450, 550, a dropped connection or three seconds of delay, at RCPT', async () => {
    using client = await openAt('rcpt');
    await client.say('RCPT TO:<ann+fault-450@y.test>', 450);
    await client.say('RCPT TO:<ann+x+FAULT-550@y.test>', 550);
    await client.say('RCPT TO:<ann+fault-551@y.test>', 250);
    const timers = clock.timersSet;
    client.send('RCPT TO:<ann+fault-slow@y.test>');
    await until(() => clock.timersSet > timers);
    await clock.advance(3_000);
    await client.expect(250);
    client.send('RCPT TO:<ann+fault-drop@y.test>');
    await client.closed();
  });

  test('is unknown on a server', async () => {
    await using server = await startAppliance();
    const holder = await server.holder();
    const { address } = await server.inbox(holder, {});
    const to = [address.replace('@', '+fault-450@'), 'ann+fault-450@postern.test'];
    const sent = await sendMail({ port: server.smtpPort, from: 'a@x.test', to, raw });
    expect(sent.to.map(({ code }) => code)).toEqual([250, 550]);
  });
});

test('for any skip, times and number of mails, exactly those in between get the fault and the rest is stored', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(4),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom('mail', 'rcpt', 'data', 'dot'),
      async (skip, times, mails, stage) => {
        await trap.ask('DELETE');
        const { id } = await trap.add({ stage, reply: '451 4.3.0 later', skip, times });
        const to = `any${run++}@y.test`;
        const refused: boolean[] = [];
        for (let mail = 0; mail < mails; mail++) {
          const sent = await sendMail({ port, from: 'a@x.test', to: [to], raw });
          refused.push(sent.data?.code !== 250);
        }
        expect(refused).toEqual(refused.map((_, at) => at >= skip && at < skip + times));
        const hits = refused.filter(Boolean).length;
        expect([await trap.readHits(id), await countMail(to)]).toEqual([hits, mails - hits]);
      },
    ),
    { numRuns: 15 },
  );
});

test('parallel sessions together get exactly the requested number of faults', async () => {
  const { id } = await trap.add({ stage: 'dot', reply: '450 4.2.1 later', skip: 3, times: 7 });
  const sent = await Promise.all(
    Array.from({ length: 20 }, () => sendMail({ port, from: 'a@x.test', to: ['many@y.test'], raw })),
  );
  expect(sent.filter(({ data }) => data?.code === 450).length).toBe(7);
  expect([await trap.readHits(id), await countMail('many@y.test')]).toEqual([7, 13]);
});

test.each(['rcpt', 'dot'])('a stop ends a delay at %s with 421, at once', async (stage) => {
  await using own = await startTrap();
  port = own.appliance.smtpPort;
  try {
    const { id } = await own.add({ stage, delay_ms: 300_000 });
    using client = await openAt(stage);
    client.send(before[stage]!.last);
    await own.untilHit(id);
    const startMs = performance.now();
    await Promise.all([client.expect(421), own.appliance[Symbol.asyncDispose]()]);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  } finally {
    port = trap.appliance.smtpPort;
  }
});
