/** Whenever the connection breaks, a client loses no message, gets none twice, and claims none that it does not receive. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Message, Postern } from '../../../clients/typescript/src/index.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { type Cut, CuttingProxy } from './cutting-proxy.ts';
import { sendMail } from './runner/smtp-mail.ts';

const MAILS = 12;
const RUNS = 6;

let trap: RunningAppliance;
beforeAll(async () => {
  trap = await startAppliance({
    settings: { limits: 'off', wait_slots: '64' },
    capture: { apiKey: 'secret' },
  });
});
afterAll(() => trap[Symbol.asyncDispose]());

/** When connections are cut, as most are: before the answer, within its head, within a message, or after a while. */
const script = fc.array(
  fc.option(fc.record({ bytes: fc.integer({ min: 0, max: 6_000 }), ms: fc.integer({ min: 0, max: 400 }) }), {
    freq: 4,
  }),
  { minLength: 6, maxLength: 12 },
);

async function sendAll(address: string): Promise<string[]> {
  const subjects = Array.from({ length: MAILS }, (_, number) => `mail ${number}`);
  for (const subject of subjects) {
    const text = `Your code is ${100_000 + Math.floor(Math.random() * 900_000)}.`;
    await sendMail(`127.0.0.1:${trap.smtpPort}`, { to: address, subject, text });
    await Bun.sleep(Math.random() * 30);
  }
  return subjects;
}

let boxes = 0;

/** Sends mail while a client reads it through a proxy that cuts connections. Returns the subjects as sent and as read. */
async function readThrough(
  cuts: readonly (Cut | null)[],
  read: (client: Postern, address: string, signal: AbortSignal) => Promise<string[]>,
): Promise<void> {
  await using proxy = await CuttingProxy.open(trap.httpPort, cuts);
  const address = `box-${boxes++}@example.com`;
  const limit = AbortSignal.timeout(40_000);
  const client = new Postern({ url: proxy.url, apiKey: 'secret' });
  const [sent, got] = await Promise.all([sendAll(address), read(client, address, limit)]);
  expect(got.toSorted()).toEqual(sent.toSorted());
}

const forEachScript = (check: (cuts: readonly (Cut | null)[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(script, check), { numRuns: RUNS, endOnFailure: true });

// Concurrent, because they mostly wait.
describe('over a connection that is cut at random', () => {
  test.concurrent('a stream delivers every message once', async () => {
    await forEachScript((cuts) =>
      readThrough(cuts, async (client, address, signal) => {
        const subjects: string[] = [];
        for await (const { subject } of client.inbox(address).stream({ since: '0', signal })) {
          subjects.push(subject);
          if (subjects.length === MAILS) break;
        }
        return subjects;
      }),
    );
  }, 120_000);

  test.concurrent('three waits that claim at a time get every message once', async () => {
    await forEachScript((cuts) =>
      readThrough(cuts, async (client, address, signal) => {
        const inbox = client.inbox(address);
        const claimSome = async (count: number) => {
          const claimed: Message[] = [];
          while (claimed.length < count)
            claimed.push(await inbox.waitForMessage({ timeoutMs: 20_000, signal }));
          return claimed;
        };
        const claimed = await Promise.all([4, 4, 4].map(claimSome));
        return claimed.flat().map(({ subject }) => subject);
      }),
    );
  }, 120_000);

  test.concurrent('a list has every message once', async () => {
    const address = `listed-${boxes++}@example.com`;
    const sent = await sendAll(address);
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 1 }), async ([cuts = []]) => {
        // At most three in a row, which a read survives.
        const spread = cuts.flatMap((cut, index) => (index % 3 === 0 ? [null, cut] : [cut]));
        await using proxy = await CuttingProxy.open(trap.httpPort, spread);
        const client = new Postern({ url: proxy.url, apiKey: 'secret' });
        const found = await client.inbox(address).messages({ limit: 4 }).all();
        expect(found.map(({ subject }) => subject)).toEqual(sent.toReversed());
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 120_000);
});
