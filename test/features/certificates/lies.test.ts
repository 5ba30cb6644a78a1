/** A CA that lies, stalls or never ends. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { Answer } from '../../peers/https-receiver.ts';
import { problem, type Step } from './fake-ca.ts';
import { names, said } from './scene.ts';
import {
  commonName,
  count,
  DAY_MS,
  drive,
  failed,
  issued,
  MINUTE_MS,
  readReason,
  type StageTimes,
  stage,
} from './stage.ts';

describe('the old certificate stays in use after', () => {
  const withBody = (change: (body: Record<string, unknown>) => object) => (honest: Answer) => ({
    ...honest,
    body: JSON.stringify({ ...JSON.parse(String(honest.body)), ...change(JSON.parse(String(honest.body))) }),
  });
  const foreign = async (validDays: number, forNames: readonly string[]) => {
    const { cert } = await generate([{ name: 'commonName', value: 'x' }], {
      keyType: 'ec',
      notAfterDate: new Date(Date.now() + validDays * DAY_MS),
      extensions: [
        { name: 'subjectAltName', altNames: forNames.map((value) => ({ type: 2 as const, value })) },
      ],
    });
    return cert;
  };
  const cases: [string, Step, (honest: Answer) => Answer, string][] = [
    ['an endless directory', 'directory', () => ({ how: 'endless body' }), 'cut off'],
    ['a directory that is no JSON', 'directory', () => ({ body: '<html>' }), 'something else'],
    ['a redirect', 'directory', () => ({ status: 302, headers: { location: 'https://10.0.0.1/' } }), '302'],
    [
      'no https',
      'directory',
      withBody(() => ({ newOrder: 'http://localhost/x' })),
      'no https URL for newOrder',
    ],
    [
      'an account of its website',
      'directory',
      withBody(() => ({ meta: { externalAccountRequired: true } })),
      'external account binding',
    ],
    ['no nonce', 'nonce', () => ({ headers: { 'replay-nonce': '' } }), 'no nonce'],
    ['only bad nonces', 'newOrder', () => problem('badNonce', 400), 'badNonce'],
    [
      'an order on a private address',
      'newOrder',
      (honest) => ({ ...honest, headers: { location: 'https://10.1.2.3/order' } }),
      '10.1.2.3 is not public',
    ],
    [
      'an authorization on another port of this machine',
      'newOrder',
      withBody(() => ({ authorizations: ['https://127.0.0.1:2525/'] })),
      '127.0.0.1 is not public',
    ],
    [
      'objects for texts',
      'newOrder',
      withBody(() => ({ authorizations: [{ toString: 1 }], finalize: { toString: 1 } })),
      'no https URL for an authorization',
    ],
    [
      'a problem of no type',
      'newOrder',
      () => ({ status: 400, body: '{"type":{"toString":1},"detail":"no"}' }),
      'the CA refused: no (400)',
    ],
    [
      'more authorizations than names',
      'newOrder',
      withBody(({ authorizations: urls }) => ({ authorizations: [urls, urls].flat() })),
      'more authorizations than names',
    ],
    [
      'the proof of another name',
      'authorization',
      withBody(() => ({ identifier: { type: 'dns', value: 'bank.example' } })),
      'a name that was not asked for',
    ],
    [
      'a token that is a path',
      'authorization',
      withBody(() => ({
        challenges: [{ type: 'http-01', url: 'https://localhost/', token: '../../etc/passwd' }],
      })),
      'token',
    ],
    [
      'an authorization that failed',
      'authorization',
      withBody(() => ({
        status: 'invalid',
        challenges: [{ type: 'http-01', error: { detail: 'no\r\nroute' } }],
      })),
      'did not accept mail.acme.test: no route',
    ],
    [
      '100 MB in place of a certificate',
      'certificate',
      ({ body }) => ({ body: String(body) + 'x'.repeat(100_000_000) }),
      'cut off',
    ],
    ['an endless order', 'newOrder', () => ({ how: 'endless body' }), 'cut off'],
    ['a stalled order', 'finalize', () => ({ how: 'stalled body' }), 'cut off'],
    ['a stalled certificate', 'certificate', () => ({ how: 'stalled body' }), 'cut off'],
    ['no certificate', 'certificate', () => ({ body: 'sorry' }), 'a chain of 0 certificates'],
  ];
  test.each(cases)('%s, and the log says why', async (_what, step, lie, reason) => {
    await using at = await stage();
    at.ca.lie(step, lie);
    // It has issued the certificate by then, and the next attempt, which is due at once, would fetch it.
    if (step === 'finalize') at.ca.lie('certificate', lie);
    await using server = await at.start();
    await drive(at.clock, () => count(at.ca, step) > 0);
    // A response that stalls is cut off after twenty minutes.
    await drive(at.clock, failed(server), reason === 'cut off' ? MINUTE_MS : 250);
    expect(readReason(server)).toContain(reason);
    expect(await commonName(server)).toBe('mx.acme.test');
    // A bad nonce is tried again eight times.
    expect(at.ca.asked.length).toBeLessThan(30);
  });

  test.each([['without our key', 30, names, 'is not the key of']] as const)(
    'a certificate %s, and the attempt counts as failed',
    async (_what, days, forNames, reason) => {
      await using at = await stage();
      const body = await foreign(days, forNames);
      at.ca.lie('certificate', () => ({ body }));
      await using server = await at.start();
      await drive(at.clock, failed(server));
      expect(readReason(server)).toContain(reason);
      expect(readFileSync(join(at.dataDir, 'acme/state.json'), 'utf8')).toContain('"failed"');
    },
  );

  const HOUR = 1 / 24;
  test.each<[string, StageTimes, string]>([
    ['that has expired', { days: -1 }, 'it expired on'],
    ['that ends within the hour', { days: HOUR - 1 / 86_400 }, 'it already expires on'],
    ['that is not valid yet', { beginsInDays: HOUR }, 'it is not valid until'],
  ])('a certificate %s by our clock', async (_what, times, reason) => {
    await using at = await stage(times);
    await using server = await at.start();
    const before = await commonName(server);
    await drive(at.clock, failed(server));
    expect(readReason(server)).toStartWith(`the CA sent an unusable certificate: ${reason}`);
    expect(readReason(server)).toContain('by the clock of this machine, which may be wrong');
    expect(await commonName(server)).toBe(before);
    // The next attempt is in ten minutes, as after other failures.
    await drive(at.clock, failed(server, 2), MINUTE_MS);
  });

  test('a CA that never answers, within twenty minutes', async () => {
    await using at = await stage();
    at.ca.lie('account', () => ({ how: 'no answer' }));
    await using server = await at.start();
    await drive(at.clock, () => count(at.ca, 'account') > 0);
    await drive(at.clock, failed(server), MINUTE_MS);
    expect(readReason(server)).toContain("can't be reached");
  });
});

test('a certificate with little more than an hour left, or that begins in a minute, is used', async () => {
  await using at = await stage({ days: 1 / 24 + 1 / 1440, beginsInDays: 1 / 1440 });
  await using server = await at.start();
  await drive(at.clock, issued(server));
  expect(said(server, 'no new certificate')).toEqual([]);
});
