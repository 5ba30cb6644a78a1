/** What the checker does when its process is killed, and when the disk refuses. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { Checker } from '../../src/authenticity/checker.ts';
import { DUE_MAILS, dueMails, QUEUED } from '../../src/authenticity/sql.ts';
import { fitHead } from '../../src/mail/authentication.ts';
import { startAppliance } from '../start.ts';
import { until } from '../webhooks/hooked.ts';

const odd = [process.execPath, join(import.meta.dir, 'odd-checker.ts')];

test('a mail that kills the process twice is given up, and no other is', async () => {
  await using appliance = await startAppliance({ settings: { authentication: 'off' } });
  const owner = await appliance.holder();
  const { address } = await appliance.inbox(owner);
  const ids: string[] = [];
  for (const from of ['a', 'killer', 'b', 'c', 'killer', 'd'])
    ids.push(await appliance.deliver(address, { is_checked: true, envelope_from: `${from}@example.org` }));
  const checker = new Checker(appliance.floor, odd);
  checker.start();
  await until(() => dueMails(appliance.floor.store, 10).length === 0, 30_000);
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

test('what a deleted message left to check is dropped with it', async () => {
  await using appliance = await startAppliance({ settings: { authentication: 'off' } });
  const owner = await appliance.holder();
  const { address } = await appliance.inbox(owner);
  const id = await appliance.deliver(address, { is_checked: true });
  expect(dueMails(appliance.floor.store, 10)).toHaveLength(1);
  await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: owner.key });
  expect(dueMails(appliance.floor.store, 10)).toEqual([]);
});

test('the queue is read by its index', async () => {
  await using appliance = await startAppliance();
  for (const statement of [DUE_MAILS, QUEUED]) {
    const plan = appliance.floor.store.sql(`EXPLAIN QUERY PLAN ${statement}`).all(1) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join('; ')).toContain('INDEX authentication_due');
    expect(plan.map(({ detail }) => detail).join('; ')).not.toContain('TEMP B-TREE');
  }
});

describe('a header section as it is checked', () => {
  const field = fc.oneof(
    fc.constantFrom('Subject: a\r\n', 'From: a@b\r\n\tc\r\n', 'X:\n y\n', 'dkim-signature : x\r\n'),
    fc.string({ maxLength: 30 }).map((text) => `X-Any: ${text.replace(/[\r\n]/g, '')}\r\n`),
  );

  test('keeps every byte while it is within the bounds', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 10 }), (fields) => {
        const head = Buffer.from(`${fields.join('')}\r\n`);
        expect(Buffer.from(fitHead(head)).equals(head)).toBe(true);
      }),
    );
  });

  test('loses ARC, and the signatures beyond ten, with their folded lines', () => {
    const signature = 'DKIM-Signature: v=1;\r\n\tb=x\r\n';
    const head = `ARC-Seal: i=1;\r\n cv=none\r\n${signature.repeat(12)}Subject: x\r\n\r\n`;
    expect(Buffer.from(fitHead(Buffer.from(head))).toString()).toBe(
      `${signature.repeat(10)}Subject: x\r\n\r\n`,
    );
  });
});
