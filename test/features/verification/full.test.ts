/** Full mode: the verdicts for a mail server's answers, and how rarely it is asked. */
import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../../peers/fake-clock.ts';
import { isNobody, type Saying, unknownUser } from '../../peers/mail-exchange.ts';
import { until } from '../../until.ts';
import { startVerifying } from './verifying.ts';

/** Mailboxes by their local part, at every domain that does not accept everything. */
const boxes: Record<string, Saying> = {
  ann: '250 2.1.5 Ok',
  info: '250 Ok',
  forwarded: '251 Will forward',
  quiet: '550 No such user',
  bare: '550',
  elsewhere: '551 Not here',
  moved: '550-5.1.6 Moved\n550 5.1.6 for good',
  disabled: '550 5.2.1 The mailbox is disabled',
  o365: '550 5.4.1 Recipient address rejected: Access denied. [XY.prod.protection.outlook.com]',
  full: '552 5.2.2 Mailbox full',
  soon: '452 4.2.2 Over quota',
  grey: '451 4.7.1 Greylisted, try again in 5 minutes',
  busy: '450 Busy',
  listed: '550 5.7.1 Service unavailable; Client host blocked using zen.spamhaus.org',
  plainly: '554 Your IP is on a blacklist, see spamhaus',
  policy: '550 5.7.26 Unauthenticated',
  mixed: '550 5.1.1 Rejected because of your reputation; user unknown',
  strange: '554 Transaction failed',
  tls: '530 5.7.0 Must issue a STARTTLS command first',
};

const rcpt = (address: string): Saying => {
  const [local = '', domain = ''] = address.split('@');
  if (domain.startsWith('all.')) return '250 Ok';
  if (domain.startsWith('wary.') && isNobody(address)) return '451 4.7.1 Greylisted';
  return boxes[local] ?? unknownUser;
};

const report = (
  probe: string,
  reason: string,
  rcptCode: number | null,
  catchAll: boolean | null = false,
) => ({
  probe,
  rcpt_code: rcptCode,
  catch_all: catchAll,
  reason,
});

const verdicts: Record<string, [verdict: string, reason: string, smtp: ReturnType<typeof report>]> = {
  ann: ['deliverable', 'ok', report('completed', 'accepted', 250)],
  forwarded: ['deliverable', 'ok', report('completed', 'accepted', 251)],
  info: ['risky', 'role_account', report('completed', 'accepted', 250)],
  nobody: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 550)],
  quiet: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 550)],
  bare: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 550)],
  elsewhere: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 551)],
  moved: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 550)],
  disabled: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 550)],
  o365: ['undeliverable', 'mailbox_not_found', report('completed', 'mailbox_not_found', 550)],
  full: ['risky', 'mailbox_full', report('completed', 'mailbox_full', 552)],
  soon: ['risky', 'mailbox_full', report('completed', 'mailbox_full', 452)],
};

/** These say nothing about the mailbox, so the safe verdict is kept. */
const silent: Record<string, ReturnType<typeof report>> = {
  grey: report('failed', 'temporary', 451),
  busy: report('failed', 'temporary', 450),
  listed: report('failed', 'refused', 550),
  plainly: report('failed', 'refused', 554),
  policy: report('failed', 'refused', 550),
  mixed: report('failed', 'refused', 550),
  strange: report('failed', 'refused', 554),
  tls: report('failed', 'refused', 530),
};

describe('a probe over HTTP', () => {
  test('reports what the server said about each mailbox', async () => {
    await using here = await startVerifying({ plan: { rcpt } });
    for (const [local, [deliverable, reason, smtp]] of Object.entries(verdicts)) {
      const domain = here.domain(`${local}.test`);
      expect(await here.result(`${local}@${domain}`, 'full')).toMatchObject({
        deliverable,
        reason,
        checked: 'smtp',
        has_mx: true,
      });
      // The second time the domain is known, so only the mailbox is probed.
      expect((await here.result(`${local}@${domain}`, 'full')).smtp).toEqual(smtp);
    }
    const recipients = here.exchange.sessions.map(
      (said) => said.filter((line) => line.startsWith('RCPT')).length,
    );
    expect(recipients).toEqual(Object.keys(verdicts).flatMap(() => [2, 1]));
    expect(here.exchange.sessions.flat().filter((line) => /^(DATA|BDAT|VRFY|EXPN)/i.test(line))).toEqual([]);
    expect(here.appliance.logged).toEqual([]);
  });

  test('keeps the safe verdict when the server says nothing about the mailbox', async () => {
    await using here = await startVerifying({ plan: { rcpt } });
    for (const [local, smtp] of Object.entries(silent)) {
      const domain = here.domain(`${local}.test`);
      expect(await here.result(`${local}@${domain}`, 'full')).toMatchObject({
        deliverable: 'deliverable',
        reason: 'ok',
        checked: 'dns',
        smtp,
      });
    }
  });

  test('detects catch-all domains, and does not ask them again for an hour', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, plan: { rcpt } });
    here.domain('all.test');
    const risky = { deliverable: 'risky', reason: 'catch_all', checked: 'smtp' };
    expect(await here.result('ann@all.test', 'full')).toMatchObject({
      ...risky,
      smtp: report('completed', 'catch_all', 250, true),
    });
    expect(await here.result('bob@all.test', 'full')).toMatchObject({
      ...risky,
      smtp: report('skipped', 'catch_all', null, true),
    });
    expect(here.exchange.sessions).toHaveLength(1);
    await clock.advance(3_600_000);
    expect((await here.result('bob@all.test', 'full')).smtp).toEqual(
      report('completed', 'catch_all', 250, true),
    );
    expect(here.exchange.sessions).toHaveLength(2);
  });

  test('believes what another probe has found out about the domain while it waited', async () => {
    await using here = await startVerifying({ plan: { rcpt } });
    const { dns } = here;
    const exchange = (data: string) => ({ records: [{ type: 'MX' as const, data, ttlS: 0 }] });
    dns.set('all.test', 'MX', exchange('10 slow.test'), exchange('10 fast.test'));
    dns.set('slow.test', 'A', { records: [{ type: 'A', data: '127.0.0.1' }], delay_ms: 800 });
    dns.setAddresses('fast.test', '127.0.0.1');
    const slow = here.result('ann@all.test', 'full');
    await until(() => dns.asked.some((line) => line.startsWith('A slow.test')));
    expect((await here.result('bob@all.test', 'full')).smtp.catch_all).toBe(true);
    expect(await slow).toMatchObject({
      deliverable: 'risky',
      reason: 'catch_all',
      smtp: report('skipped', 'catch_all', null, true),
    });
    expect(here.exchange.sessions).toHaveLength(1);
  });

  test('does not claim a catch-all when that question was not answered', async () => {
    await using here = await startVerifying({ plan: { rcpt } });
    here.domain('wary.test');
    expect(await here.result('ann@wary.test', 'full')).toMatchObject({
      deliverable: 'deliverable',
      checked: 'smtp',
      smtp: report('completed', 'accepted', 250, null),
    });
  });

  test('asks the best public host, and no private one', async () => {
    await using here = await startVerifying({ plan: { rcpt } });
    const { dns } = here;
    dns.set('mixed.test', 'MX', {
      records: ['30 far.test', '10 inner.test', '20 near.test'].map((data) => ({ type: 'MX', data })),
    });
    dns.setAddresses('inner.test', '10.0.0.1', '192.168.1.1', '::1', 'fd00::1');
    dns.setAddresses('near.test', '10.0.0.2', '127.0.0.1');
    expect((await here.result('ann@mixed.test', 'full')).smtp).toEqual(report('completed', 'accepted', 250));
    expect(dns.asked.join()).not.toContain('far.test');
    here.domain('inside.test', ['10.0.0.1', '169.254.169.254', 'fe80::1']);
    const safe = { deliverable: 'deliverable', reason: 'ok', checked: 'dns' };
    expect(await here.result('ann@inside.test', 'full')).toMatchObject({
      ...safe,
      smtp: report('skipped', 'mx_non_public', null, null),
    });
    dns.setAddresses('lonely.test', '192.168.0.1');
    expect(await here.result('ann@lonely.test', 'full')).toMatchObject({
      deliverable: 'risky',
      reason: 'a_fallback',
      smtp: report('skipped', 'mx_non_public', null, null),
    });
    dns.set('dangling.test', 'MX', { records: [{ type: 'MX', data: '10 mx.nowhere.test' }] });
    expect(await here.result('ann@dangling.test', 'full')).toMatchObject({
      ...safe,
      smtp: report('failed', 'mx_unresolved', null, null),
    });
    expect(here.exchange.sessions).toHaveLength(1);
  });

  test('connects to a domain without an MX if it has an address', async () => {
    await using here = await startVerifying({ plan: { rcpt } });
    here.dns.setAddresses('plain.test', '127.0.0.1');
    expect(await here.result('ann@plain.test', 'full')).toMatchObject({
      deliverable: 'risky',
      reason: 'a_fallback',
      checked: 'smtp',
      smtp: report('completed', 'accepted', 250),
    });
    expect(await here.result('nobody@plain.test', 'full')).toMatchObject({ deliverable: 'undeliverable' });
  });

  test('opens no connection to private addresses by default', async () => {
    await using here = await startVerifying({ plan: { rcpt }, settings: { probe_allow_networks: '' } });
    here.domain('one.test');
    expect((await here.result('ann@one.test', 'full')).smtp.reason).toBe('mx_non_public');
    expect(here.exchange.sessions).toEqual([]);
  });

  test('asks no server when the answer could not change the verdict', async () => {
    await using here = await startVerifying();
    const skipped = report('skipped', 'not_needed', null, null);
    here.dns.set('null.test', 'MX', { records: [{ type: 'MX', data: '0 ' }] });
    for (const email of ['a..b@x.test', 'ann@[127.0.0.1]', 'ann@unknown.test', 'ann@null.test']) {
      expect(await here.result(email, 'full')).toMatchObject({ deliverable: 'undeliverable', smtp: skipped });
    }
  });

  test('falls back to safe mode when the server fails, and leaves the domain alone for a while', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, plan: { rcpt, greeting: '554 5.7.1 Go away' } });
    here.domain('angry.test');
    const smtp = async () => {
      const result = await here.result('ann@angry.test', 'full');
      expect(result).toMatchObject({ deliverable: 'deliverable', reason: 'ok' });
      expect(result.checked).toBe(result.smtp.probe === 'completed' ? 'smtp' : 'dns');
      return result.smtp;
    };
    for (let count = 0; count < 3; count++)
      expect(await smtp()).toEqual(report('failed', 'refused', null, null));
    expect(await smtp()).toEqual(report('skipped', 'cooldown', null, null));
    expect(here.exchange.sessions).toHaveLength(3);
    here.exchange.plan = { rcpt };
    await clock.advance(300_000);
    expect(await smtp()).toMatchObject({ probe: 'completed' });
    here.exchange.plan = { ehlo: 'silence' };
    const waiting = smtp();
    await until(() => here.exchange.sessions.at(-1)?.length === 1);
    await clock.advance(10_000);
    expect(await waiting).toEqual(report('failed', 'timeout', null, false));
  });

  test('has a bounded number of sessions with a domain in ten minutes', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, plan: { rcpt }, settings: { limits: 'off' } });
    here.domain('large.test');
    const reasons: string[] = [];
    for (let count = 0; count < 61; count++)
      reasons.push((await here.result('ann@large.test', 'full')).smtp.reason);
    expect(reasons.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 'accepted'));
    expect(reasons[60]).toBe('cooldown');
    await clock.advance(600_000);
    expect((await here.result('ann@large.test', 'full')).smtp.reason).toBe('accepted');
  });

  test('has at most twenty sessions at a time for an account, without delaying another', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, plan: { ehlo: 'silence' } });
    const all = Array.from({ length: 23 }, (_, index) => {
      here.domain(`d${index}.test`);
      return here.result(`ann@d${index}.test`, 'full');
    });
    const said = () => here.exchange.sessions.filter((lines) => lines.length === 1).length;
    await until(() => said() === 20);
    here.exchange.plan = { rcpt };
    here.domain('theirs.test');
    const other = await here.appliance.holder();
    const theirs = await here.verify({ email: 'ann@theirs.test', mode: 'full' }, other.key);
    expect(theirs.json.data.smtp.reason).toBe('accepted');
    // An answer may take up to 10 s. Then the next three have their turn.
    await clock.advance(10_000);
    const reasons = (await Promise.all(all)).map(({ smtp }) => smtp.reason).sort();
    expect(reasons).toEqual([...Array(3).fill('accepted'), ...Array(20).fill('timeout')]);
    expect(here.exchange.peak).toBe(21);
  });

  test('ends when the caller hangs up, and when the appliance stops', async () => {
    const here = await startVerifying({ plan: { greeting: 'silence' } });
    here.domain('one.test');
    const hungUp = new AbortController();
    const request = fetch(`${here.appliance.url}/api/v1/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${here.holder.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@one.test', mode: 'full' }),
      signal: hungUp.signal,
    }).catch(() => 'gone');
    await until(() => here.exchange.open === 1);
    hungUp.abort();
    expect(await request).toBe('gone');
    await until(() => here.exchange.open === 0);
    const last = here.result('ann@one.test', 'full');
    await until(() => here.exchange.open === 1);
    await here[Symbol.asyncDispose]();
    expect((await last).smtp).toEqual(report('failed', 'deadline', null, null));
    expect(here.appliance.logged).toEqual([]);
  });

  test('of a mailbox with non-ASCII letters needs SMTPUTF8', async () => {
    await using here = await startVerifying({ plan: { rcpt: () => unknownUser, ehlo: '250 mx.test' } });
    here.domain('xn--mnchen-3ya.test');
    expect((await here.result('jörg@münchen.test', 'full')).smtp.reason).toBe('smtputf8_unsupported');
    expect((await here.result('jorg@münchen.test', 'full')).smtp.rcpt_code).toBe(550);
    expect(here.exchange.asked()).toEqual(['jorg@xn--mnchen-3ya.test']);
  });
});

describe('permission for full mode', () => {
  test('is denied while the setting is off, whatever the plan and the rest of the body', async () => {
    await using here = await startVerifying({ settings: { verify_full: 'off' } });
    const free = await here.appliance.holder('free');
    for (const key of [here.holder.key, free.key]) {
      for (const body of [{ email: 'ann@x.test', mode: 'full' }, { mode: 'full' }, { mode: 'full', x: 1 }]) {
        const reply = await here.verify(body, key);
        expect([reply.status, reply.json.error.code]).toEqual([403, 'smtp_verify_disabled']);
      }
      const reply = await here.batch({ emails: [], mode: 'full' }, key);
      expect([reply.status, reply.json.error.code]).toEqual([403, 'smtp_verify_disabled']);
    }
    const file = await here.upload(new File(['x'], 'x.pdf'), { mode: 'full' });
    expect(file.json.error.code).toBe('smtp_verify_disabled');
  });

  test('is part of Business, or of an account that the operator grants it', async () => {
    await using here = await startVerifying({ plan: { rcpt }, settings: { plan_pro_full_verify: '1' } });
    here.domain('one.test');
    const statuses: unknown[] = [];
    for (const plan of ['free', 'pro', 'scale', 'business'] as const) {
      const { key } = await here.appliance.holder(plan);
      for (const reply of [
        await here.verify({ email: 'ann@one.test', mode: 'full' }, key),
        await here.batch({ emails: ['ann@one.test'], mode: 'full' }, key),
      ]) {
        statuses.push(reply.status === 200 ? 200 : `${reply.status} ${reply.json.error.code}`);
      }
      expect((await here.verify({ email: 'ann@one.test' }, key)).status).toBe(200);
    }
    const refused = '403 verify_full_entitlement_required';
    expect(statuses).toEqual([refused, refused, 200, 200, refused, refused, 200, 200]);
  });
});
