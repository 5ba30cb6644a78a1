/** What the checker does when its process is killed, and when the disk refuses. */
import { describe, expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { checkSender } from '../../../src/features/authenticity/check.ts';
import { Checker } from '../../../src/features/authenticity/checker.ts';
import { DUE_MAILS, listDueMails, QUEUED_CHECKS } from '../../../src/features/authenticity/sql.ts';
import { fitHead, withCrlf } from '../../../src/platform/mail/authentication.ts';
import type { Resolver } from '../../../src/platform/net/dns.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { startAppliance } from '../../start.ts';
import { explainPlan } from '../../store-state.ts';
import { until } from '../../until.ts';

const odd = [process.execPath, join(import.meta.dir, 'odd-checker.ts')];

test('only a mail that kills the process twice is given up', async () => {
  await using appliance = await startAppliance({ settings: { authentication: 'off' } });
  const owner = await appliance.holder();
  const { address } = await appliance.inbox(owner);
  const ids: string[] = [];
  for (const from of ['a', 'killer', 'b', 'c', 'killer', 'd'])
    ids.push(await appliance.deliver(address, { isChecked: true, envelope_from: `${from}@example.org` }));
  const checker = new Checker(appliance.services, odd);
  checker.start();
  await until(() => listDueMails(appliance.services.store, 10).length === 0, 30_000);
  checker.stop();
  const results = await Promise.all(
    ids.map(async (id) => {
      const { json } = await appliance.request('GET', `/api/v1/messages/${id}`, { key: owner.key });
      return json.data.authentication.spf.result;
    }),
  );
  expect(results).toEqual(['pass', 'temperror', 'pass', 'pass', 'temperror', 'pass']);
  expect(checker.pids).toEqual([]);
}, 40_000);

test('mails wait while no checker can be started, and are checked once one can', async () => {
  using folder = temporaryFolder();
  await using appliance = await startAppliance({ settings: { authentication: 'off' } });
  const owner = await appliance.holder();
  const { address } = await appliance.inbox(owner);
  // More than are checked at once: those that could not be checked must not keep their places.
  for (let count = 0; count < 40; count++) await appliance.deliver(address, { isChecked: true });
  const path = join(folder.path, 'checker');
  const checker = new Checker(appliance.services, [path, ...odd.slice(1)]);
  checker.start();
  await until(() => appliance.logged.some((line) => line.includes('no process can be started')));
  symlinkSync(process.execPath, path);
  await until(() => listDueMails(appliance.services.store, 10).length === 0, 30_000);
  checker.stop();
}, 40_000);

test.skipIf(process.platform !== 'linux')(
  'a checker that may not confine itself is reported once',
  async () => {
    await using appliance = await startAppliance({ settings: { authentication: 'off' } });
    const owner = await appliance.holder();
    const { address } = await appliance.inbox(owner);
    await appliance.deliver(address, { isChecked: true });
    const refused = join(import.meta.dir, '../../platform/process/refused-child.ts');
    const checker = new Checker(appliance.services, [process.execPath, refused]);
    checker.start();
    // Its answers are no verdicts, so the mail is checked by two processes and then given up.
    await until(() => listDueMails(appliance.services.store, 10).length === 0, 30_000);
    checker.stop();
    const warnings = appliance.logged.filter((line) => line.includes('is not confined'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('the process that checks senders is not confined');
  },
  40_000,
);

test('a pending check is dropped with its message', async () => {
  await using appliance = await startAppliance({ settings: { authentication: 'off' } });
  const owner = await appliance.holder();
  const { address } = await appliance.inbox(owner);
  const id = await appliance.deliver(address, { isChecked: true });
  expect(listDueMails(appliance.services.store, 10)).toHaveLength(1);
  await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: owner.key });
  expect(listDueMails(appliance.services.store, 10)).toEqual([]);
});

test('the queue is read by its index', async () => {
  await using appliance = await startAppliance();
  for (const statement of [DUE_MAILS, QUEUED_CHECKS]) {
    const plan = explainPlan(appliance, statement);
    expect(plan).toContain('INDEX authentication_due');
    expect(plan).not.toContain('TEMP B-TREE');
  }
});

describe('the header section that is checked', () => {
  const field = fc.oneof(
    fc.constantFrom('Subject: a\r\n', 'From: a@b\r\n\tc\r\n', 'X:\n y\n', 'dkim-signature : x\r\n'),
    fc.string({ maxLength: 30 }).map((text) => `X-Any: ${text.replace(/[\r\n]/g, '')}\r\n`),
  );

  test('keeps every byte within the bounds', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 10 }), (fields) => {
        const head = Buffer.from(`${fields.join('')}\r\n`);
        expect(Buffer.from(fitHead(head)).equals(head)).toBe(true);
      }),
    );
  });

  test('loses ARC headers, and signatures beyond ten, with their folded lines', () => {
    const signature = 'DKIM-Signature: v=1;\r\n\tb=x\r\n';
    const head = `ARC-Seal: i=1;\r\n cv=none\r\n${signature.repeat(12)}Subject: x\r\n\r\n`;
    expect(Buffer.from(fitHead(Buffer.from(head))).toString()).toBe(
      `${signature.repeat(10)}Subject: x\r\n\r\n`,
    );
  });
});

describe('line ends as signers see them', () => {
  const bytes = fc.array(fc.constantFrom(10, 13, 65, 200), { maxLength: 40 });

  test('become CRLF, however the mail is cut into pieces, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 6 }), (pieces) => {
        const whole = Buffer.from(pieces.flat()).toString('latin1');
        const converted = Buffer.concat([
          ...withCrlf(pieces.map((piece) => Uint8Array.from(piece))),
        ]).toString('latin1');
        expect(converted).toBe(whole.replace(/(?<!\r)\n/g, '\r\n'));
      }),
    );
  });

  test('are converted quickly even when there are millions', async () => {
    const none = async () => ({ kind: 'nxdomain' as const });
    const dns = { a: none, aaaa: none, mx: none, txt: none, ptr: none } as unknown as Resolver;
    const signature =
      'DKIM-Signature: v=1; a=rsa-sha256; d=b.example; s=k; c=relaxed/relaxed; h=from; bh=x; b=AAAA';
    const raw = `${signature}\r\nFrom: a@b.example\r\n\r\n${'\n'.repeat(2_000_000)}`;
    const mail = { client_address: '192.0.2.1', helo: 'x', envelope_from: 'a@b.example', mx_host: 'mx.test' };
    const began = process.cpuUsage();
    const found = await checkSender({ ...mail, pieces: [Buffer.from(raw)] }, dns);
    const { user } = process.cpuUsage(began);
    expect(found.dkim).toHaveLength(1);
    // Processor seconds of this process. It used to take 5.
    expect(user / 1e6).toBeLessThan(2);
  });
});
