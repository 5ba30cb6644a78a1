/** Messages that are cut off: what the diary, the metrics and the client are told. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { listWholeDiary } from '../../../src/features/ingest/diary/sql.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { Mailbox } from './mailbox.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { metrics: 'on' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** Begins a message to a new inbox. */
async function begin(on = appliance) {
  const box = await Mailbox.open(on);
  const client = await SmtpClient.greet({ port: on.smtpPort });
  await client.say('MAIL FROM:<a@example.org>', 250);
  await client.say(`RCPT TO:<${box.address}>`, 250);
  await client.say('DATA', 354);
  return { box, client };
}

async function listDiary({ services: { diary, store } }: RunningAppliance) {
  await diary.flush();
  return listWholeDiary(store, Number.MAX_SAFE_INTEGER, 100);
}

/** Resolves with what was refused for an address, and why, once there is something. */
async function listRefused(address: string, on = appliance) {
  const list = async () => (await listDiary(on)).filter(({ recipient }) => recipient === address);
  await until(async () => (await list()).length > 0);
  return (await list()).map(({ reason, code }) => [reason, code]);
}

async function countRefused(reason: string): Promise<number> {
  const { text } = await appliance.request('GET', '/metrics');
  return Number(new RegExp(`refused_total\\{reason="${reason}",.*\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

test('a client that hangs up is no internal error', async () => {
  const { box, client } = await begin();
  client.write('Subject: unfinished\r\n\r\nbody\r\n');
  client.close();
  expect(await listRefused(box.address)).toEqual([['cut_off', 451]]);
  expect([await countRefused('cut_off'), await countRefused('fault')]).toEqual([1, 0]);
});

test('a client that ends its lines with a bare line feed is told so when it closes its side', async () => {
  const { box, client } = await begin();
  client.write('Subject: unix\n\nbody\n.\nQUIT\n');
  client.finish();
  await client.expect(554);
  await client.closed();
  expect(await listRefused(box.address)).toEqual([['bare_dot_line', 554]]);
  expect(await box.list()).toEqual([]);
});

test('a client that ends its lines with a bare line feed and gives up is in the diary for that', async () => {
  const { box, client } = await begin();
  client.write('Subject: unix\n\nbody\n.\n');
  client.close();
  expect(await listRefused(box.address)).toEqual([['bare_dot_line', 554]]);
});

test('a message that the server cuts off is in the diary once, for the reason that the client was told', async () => {
  await using short = await startAppliance({ settings: { smtp_session_s: '1' } });
  const { box, client } = await begin(short);
  client.write('Subject: unfinished\r\n\r\nbody\r\n');
  await client.expect(421);
  await client.closed();
  expect(await listRefused(box.address, short)).toEqual([['session_too_long', 421]]);
  expect(await listDiary(short)).toHaveLength(1);
});
