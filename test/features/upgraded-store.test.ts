/** What a store of each earlier schema held is all there after an upgrade, through the API and the dashboard, and its jobs continue. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { ingestJobs } from '../../src/features/ingest/jobs.ts';
import { messageJobs } from '../../src/features/messages/jobs.ts';
import { threadJobs } from '../../src/features/messages/threads/jobs.ts';
import { SCHEMA_VERSION } from '../../src/platform/store/migrate.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { earlierMails, sessionToken, totpSecret } from '../platform/store/earlier-rows.ts';
import { apiKey, earlierStore, storeKey } from '../platform/store/earlier-store.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-upgraded-'));
afterAll(() => rmSync(dir, { recursive: true }));

const id = (prefix: string, no: number) => `${prefix}_${String(no).padStart(32, '0')}`;

describe.each(Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1))('of schema %d', (version) => {
  let appliance: RunningAppliance;
  const clock = new FakeClock();
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(dir, `${version}-`));
    writeFileSync(join(dataDir, 'postern.db'), earlierStore(version));
    const settings = { outbound: 'direct', limits: 'off', dns_servers: '127.0.0.1:9' };
    appliance = await startAppliance({ dataDir, key: storeKey, clock, settings });
  });
  afterAll(() => appliance?.[Symbol.asyncDispose]());

  const ask = async (method: string, path: string, body?: unknown, headers = {}) => {
    const reply = await appliance.request(method, `/api/v1${path}`, { key: apiKey, body, headers });
    return reply.json ?? reply.status;
  };
  const get = async (path: string) => (await ask('GET', path)).data;
  const list = async (path: string) => ((await get(path)) as { id: string }[]).map((one) => one.id);
  const dashboard = (method: string, path: string, body?: unknown) =>
    appliance.request(method, `/dashboard/api${path}`, {
      ...(body === undefined ? {} : { body }),
      headers: { origin: appliance.url, cookie: `postern_session=${sessionToken}` },
    });

  test('the messages', async () => {
    const first = await get(`/messages/${id('msg', 11)}`);
    expect(first).toMatchObject({
      subject: 'Größe 漢字 👩‍🚀 invoice',
      metadata: { ключ: ['👩‍🚀', null] },
      read: true,
      magic_link: 'https://app.example/magic?token=abc',
      ...earlierMails[11]!.content,
      tags: version < 12 ? [] : ['alpha', 'b_1', 'alpha'],
    });
    expect(await get(`/messages/${id('msg', 13)}`)).toMatchObject({
      otp: '001234',
      otp_confidence: 0.125,
      read: false,
      sent_at: '1970-01-01T00:00:00.000000Z',
    });
    for (const [no, raw] of [
      [11, 11],
      [12, 11],
      [13, 12],
      [14, 13],
      [15, 14],
    ] as const) {
      const { text } = await appliance.request('GET', `/api/v1/messages/${id('msg', no)}/raw`, {
        key: apiKey,
      });
      expect(text).toEndWith(earlierMails[raw]!.raw);
    }
    expect(await ask('GET', `/messages/${id('msg', 16)}`)).toMatchObject({ error: { code: 'not_found' } });
    const again = await ask('POST', '/messages/batch', { action: 'delete', ids: [id('msg', 99)] });
    expect(again.data.results).toEqual([{ id: id('msg', 99), status: 'deleted' }]);
  });

  test('the inboxes, and a repeated request that created one', async () => {
    expect((await list('/inboxes')).sort()).toEqual(
      [...[2, 5, ...(version < 4 ? [] : [6])].map((no) => id('inbox', no)), `inbox_${'b'.repeat(32)}`].sort(),
    );
    expect(await get(`/inboxes/${id('inbox', 2)}`)).toMatchObject({
      label: 'L'.repeat(120),
      is_public: true,
      message_count_month: 3,
      webhook_configured: version >= 2,
      metadata: { ключ: ['👩‍🚀', null, 1e300, 1], filler: 'x'.repeat(3900) },
    });
    if (version >= 6) {
      const repeat = await ask('POST', '/inboxes', {}, { 'idempotency-key': 'k-1' });
      expect(repeat.data.id).toBe(`inbox_${'b'.repeat(32)}`);
    }
    expect(
      (await appliance.request('GET', '/api/v1/public/emails/public@postern.test/messages')).json.data,
    ).toHaveLength(3);
  });

  if (version >= 2) {
    test('the events, each on one page, and the deliveries', async () => {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { data, pagination } = await ask('GET', `/events?limit=1&since=0${cursor}`);
        seen.push(...data.map((event: { id: string }) => event.id));
        if (!pagination.has_more) break;
        cursor = `&cursor=${pagination.next_cursor}`;
      }
      const numbers = version < 20 ? [11, 12, 13, 14] : [11, 12, 13, 14, 21, 22];
      expect(seen.toSorted()).toEqual([...numbers.map((no) => id('evt', no)), `evt_${'b'.repeat(32)}`]);
      const deliveries = await get(`/inboxes/${id('inbox', 2)}/webhook/deliveries`);
      expect(deliveries).toMatchObject([{ event_id: id('evt', 12), status: 'pending', attempts: [{}, {}] }]);
    });
  }

  if (version >= 3) {
    test('the sent and waiting emails', async () => {
      const waiting = await get(`/outbound_emails/${id('out', 2)}`);
      expect(waiting).toMatchObject({ status: 'bounced', subject: 'Grüße 👩‍🚀', bcc: ['bcc@far.example'] });
      expect(waiting.recipients.map(({ status }: { status: string }) => status)).toEqual([
        ...['sent', 'queued', 'queued', 'bounced'],
      ]);
      expect(await list('/outbound_allowlist')).toEqual([id('apr', 2), `apr_${'b'.repeat(32)}`]);
      if (version >= 19)
        expect(await get(`/outbound_emails/${id('out', 5)}`)).toMatchObject({
          attachments: [{ filename: 'grün.pdf' }],
        });
      if (version >= 24)
        expect((await get(`/outbound_emails/${id('out', 6)}`)).held.by).toBe('bob@example.org');
    });
  }

  if (version >= 6) {
    test("a member's session, with what signs them in", async () => {
      expect((await dashboard('GET', '/me')).json.data).toMatchObject({
        user: { email: 'bob@example.org' },
        role: 'member',
      });
      if (version >= 28)
        expect((await dashboard('GET', '/passkeys')).json.data.passkeys).toMatchObject([
          { id: id('pkey', 1), name: 'Läptop 👩‍🚀' },
        ]);
      if (version < 26) return;
      const app = new TOTP({ secret: new Secret({ buffer: totpSecret.buffer }) });
      const code = app.generate({ timestamp: clock.nowUs() / 1000 });
      const body = { email: 'bob@example.org', password: 'correct horse battery' };
      expect((await dashboard('POST', '/sign-in', body)).status).toBe(401);
      expect((await dashboard('POST', '/sign-in', { ...body, code })).status).toBe(200);
    });
  }

  test('rules, senders and the audit log', async () => {
    if (version >= 21) expect(await list('/audit_log')).toContain(id('aud', 1));
    if (version >= 22) {
      expect(await get(`/inboxes/${id('inbox', 5)}/senders`)).toEqual({
        mode: 'allowed_only',
        allow: ['*.shop.example', 'ann@shop.example'],
        block: ['xn--bcher-kva.example'],
      });
      expect(await list(`/inboxes/${id('inbox', 5)}/withheld`)).toEqual([id('msg', 19)]);
      const { data } = await ask('POST', `/messages/${id('msg', 19)}/accept`);
      expect(data).toMatchObject({ subject: 'Withheld größe', tags: ['t'], text: 'x', withheld: null });
    }
    if (version < 23) return;
    expect(await list('/rules')).toEqual([id('rule', 1), id('rule', 2)]);
    expect(await get(`/messages/${id('msg', 11)}/diary`)).toHaveLength(4);
  });

  test('its jobs put mail in threads, repack it and index it, and it stays the same', async () => {
    const read = async () => {
      const messages = await Promise.all([11, 12, 13, 14].map((no) => get(`/messages/${id('msg', no)}`)));
      return messages.map(({ thread_id, in_reply_to, references, reply_text, ...message }) => message);
    };
    const before = await read();
    for (const job of [...threadJobs, ...ingestJobs]) await appliance.run(job);
    for (const job of messageJobs.filter(({ name }) => name.includes('search'))) await appliance.run(job);
    expect(await read()).toEqual(before);
    const { thread_id } = await get(`/messages/${id('msg', 13)}`);
    expect(thread_id).toBe((await get(`/messages/${id('msg', 11)}`)).thread_id);
    expect(await list(`/messages?search=${encodeURIComponent('größe')}`)).toContain(id('msg', 11));
    expect(await list(`/messages?search=${encodeURIComponent('漢字 invoice')}`)).toEqual(
      [11, 12, 13].map((no) => id('msg', no)).reverse(),
    );
    expect(await list(`/inboxes/${id('inbox', 2)}/messages?q=${encodeURIComponent('漢')}`)).toEqual([
      id('msg', 12),
    ]);
  });
});
