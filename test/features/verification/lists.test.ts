/** The lists in the executable, the operator’s own list, and their effect on verdicts. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import broad from '@dahoom/disposable-email/domains.json';
import collected from 'disposable-domains';
import { disposableEmailBlocklist } from 'disposable-email-domains-js';
import { getPublicSuffix } from 'tldts';
import { devDependencies } from '../../../package.json';
import { isDisposable, isServedByThrowaway } from '../../../src/features/verification/disposable.ts';
import {
  freeProviders,
  oftenMistyped,
  relayServices,
} from '../../../src/features/verification/known-domains.ts';
import { disposableList } from '../../../src/features/verification/lists/disposable.ts';
import { normalizeAddress } from '../../../src/features/verification/normalized.ts';
import { readOwnList } from '../../../src/features/verification/own-list.ts';
import { isRole } from '../../../src/features/verification/role-accounts.ts';
import { suggestDomain } from '../../../src/features/verification/suggestion.ts';
import { throwawayMx } from '../../../src/features/verification/throwaway-mx.ts';
import { parseMailbox } from '../../../src/platform/mail/address-syntax.ts';
import { cpuMs } from '../../peers/cpu-time.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';
import { startVerifying } from './verifying.ts';

const everywhere = [
  ...new Set(
    [...disposableEmailBlocklist(), ...(broad as string[]), ...(collected as string[])].map((domain) =>
      domainToASCII(domain),
    ),
  ),
];

describe('the list of throwaway domains', () => {
  test('has every domain of its sources, except shared suffixes and well-known providers', () => {
    const missing = everywhere.filter((domain) => !isDisposable(domain));
    const unexplained = missing.filter(
      (domain) =>
        getPublicSuffix(domain, { allowPrivateDomains: true }) !== domain &&
        !freeProviders.has(domain) &&
        !relayServices.has(domain),
    );
    expect(unexplained).toEqual([]);
    expect(missing.length).toBeLessThan(120);
  });

  test('has no provider that people really use, and no relay', () => {
    const businesses =
      'google.com microsoft.com apple.com amazon.com github.com example.com example.org ox.ac.uk';
    const names = [...freeProviders, ...relayServices, ...oftenMistyped, ...businesses.split(' ')];
    expect(names.filter((domain) => isDisposable(domain) || isDisposable(`mail.${domain}`))).toEqual([]);
    expect(names.filter((domain) => isServedByThrowaway('x.test', [domain, `mx.${domain}`]))).toEqual([]);
  });

  test('contains no name by coincidence', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `made-up-${index}.example-${index % 7}.org`);
    expect(names.filter((name) => isDisposable(name))).toEqual([]);
  });

  test('is searched quickly, however many labels a name has', () => {
    const deep = `${'a.'.repeat(120)}mailinator.com`;
    expect([isDisposable(deep), isServedByThrowaway('x.test', [deep])]).toEqual([true, true]);
    const hosts = Array.from({ length: 20 }, (_, at) => `${'a.'.repeat(118)}m${at}.example`);
    const began = cpuMs();
    for (let count = 0; count < 10_000; count++) isServedByThrowaway('x.test', hosts);
    // Checking every parent would take over 4 s, even on an idle machine.
    expect(cpuMs() - began).toBeLessThan(3_500);
  });

  test('covers subdomains, but not siblings or parents', () => {
    for (const name of ['mailinator.com', 'a.mailinator.com', 'a.b.c.mailinator.com']) {
      expect([name, isDisposable(name)]).toEqual([name, true]);
    }
    for (const name of ['xmailinator.com', 'mailinator.com.example.org', 'com', 'mailinator', '']) {
      expect([name, isDisposable(name)]).toEqual([name, false]);
    }
  });

  test('has its date and its sources, and is small', () => {
    const pinned = devDependencies as Record<string, string>;
    for (const [source, released] of Object.entries(disposableList.sources)) {
      const [name = '', version] = source.split(/ (?=\d)/);
      expect([name, pinned[name]]).toEqual([name, version]);
      expect(released <= disposableList.date).toBe(true);
    }
    const { size } = statSync(
      new URL('../../../src/features/verification/lists/disposable.bin', import.meta.url),
    );
    expect(size).toBe(disposableList.domains * 8);
    expect(size).toBeLessThan(3_000_000);
  });
});

describe('the hosts of throwaway providers', () => {
  test('reveal a domain that no list has', () => {
    expect(isServedByThrowaway('new.example', ['mx.example', 'in.mail.tm'])).toBe(true);
    expect(isServedByThrowaway('new.example', ['mail.tm'])).toBe(true);
    expect(isServedByThrowaway('new.example', ['aspmx.l.google.com', 'xmail.tm', 'tm', ''])).toBe(false);
  });

  test('belong to domains that are on the list', () => {
    expect([...throwawayMx].filter((domain) => !isDisposable(domain))).toEqual([]);
  });
});

describe("the operator's own list", () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-own-list-'));
  const file = join(folder, 'own.txt');

  test('adds and excepts domains and hosts, and is read again when it changes', async () => {
    writeFileSync(
      file,
      '\ufeff# ours\r\nBad.Test\n\n  !mailinator.com # wanted\nmx:mx.bad-host.test\nmünchen.test',
    );
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, settings: { disposable_file: file, limits: 'off' } });
    here.dns.set('new.test', 'MX', { records: [{ type: 'MX', data: '1 a.mx.bad-host.test' }] });
    const disposable = async () => {
      const reply = await here.batch({
        emails: [
          'a@bad.test',
          'a@x.bad.test',
          'a@mailinator.com',
          'a@münchen.test',
          'a@new.test',
          'a@yopmail.com',
        ],
      });
      return reply.json.data.results.map((result: { is_disposable: boolean }) => result.is_disposable);
    };
    expect(await disposable()).toEqual([true, true, false, true, true, true]);
    writeFileSync(file, '!x.bad.test\nbad.test\n!new.test\n!yopmail.com');
    await clock.advance(1_000);
    expect(await disposable()).toEqual([true, false, true, false, false, false]);
    // An unreadable file does not undo what was read before.
    writeFileSync(file, 'bad.test\nnot a domain');
    await clock.advance(1_000);
    expect(await disposable()).toEqual([true, false, true, false, false, false]);
    rmSync(file);
    await clock.advance(1_000);
    expect(await disposable()).toEqual([true, false, true, false, false, false]);
    await clock.advance(60_000);
    await disposable();
    expect(here.appliance.logged).toHaveLength(1);
    expect(here.appliance.logged[0]).toContain('line 2');
    writeFileSync(file, '');
    await clock.advance(1_000);
    expect(await disposable()).toEqual([false, false, true, false, false, true]);
  });

  test('stops the start when it is missing or has a malformed line', async () => {
    for (const line of ['a b', 'x@y', 'mx:', '!', '*.example.org', 'a..b', 'ex_ample.org', '\u0000']) {
      writeFileSync(file, `good.test\n${line}\n`);
      expect(() => readOwnList(file)).toThrow(/POSTERN_DISPOSABLE_FILE \(.*\), line 2: .* is not a domain/);
    }
    writeFileSync(file, 'x'.repeat(1_100_000));
    expect(() => readOwnList(file)).toThrow('larger');
    rmSync(folder, { recursive: true });
    const start = startAppliance({ settings: { disposable_file: file } });
    expect(await start.catch((fault: Error) => fault.message)).toContain('POSTERN_DISPOSABLE_FILE');
  });
});

describe('an address', () => {
  test('may be a role, even with a tag or a number, and a name is not a role', () => {
    const roles =
      'info Info INFO+x sales2 no-reply postmaster abuse support team kontakt ventas info01 "info"';
    expect(roles.split(' ').filter((local) => !isRole(local))).toEqual([]);
    const people =
      'ann ann.smith sales.ann info.ann berlin apple paris alexa alpha 2024 pat mark hrvoje salesman +info';
    expect(people.split(' ').filter(isRole)).toEqual([]);
  });

  test('may have a typo of a large provider', () => {
    const typos: Record<string, string | null> = {
      'gmial.com': 'gmail.com',
      'gamil.com': 'gmail.com',
      'gmail.con': 'gmail.com',
      'gmail.co': 'gmail.com',
      'gmaill.com': 'gmail.com',
      'gmai.com': 'gmail.com',
      'gnail.com': 'gmail.com',
      'gmail.cm': 'gmail.com',
      'hotmial.con': 'hotmail.com',
      'hotmai.com': 'hotmail.com',
      'yahooo.com': 'yahoo.com',
      'yaho.com': 'yahoo.com',
      'outlok.com': 'outlook.com',
      'iclould.com': 'icloud.com',
      'yahoo.co.ukk': 'yahoo.co.uk',
      'aol.con': 'aol.com',
      'gmx.cmo': 'gmx.com',
      'web.nte': null,
      'comcast.ner': 'comcast.net',
      'protonmal.com': 'protonmail.com',
      'gmail.com': null,
      'ymail.com': null,
      'mail.com': null,
      'email.com': null,
      'gmx.dk': null,
      'live.dk': null,
      'example.com': null,
      'life.com': null,
      'google.com': null,
      'mail.example.org': null,
      a: null,
      com: null,
    };
    for (const [domain, meant] of Object.entries(typos)) {
      expect([domain, suggestDomain(domain)]).toEqual([domain, meant]);
    }
    const known = [...freeProviders, ...relayServices];
    expect(known.filter((domain) => suggestDomain(domain) !== null)).toEqual([]);
    expect(oftenMistyped.filter((domain) => !freeProviders.has(domain))).toEqual([]);
  });

  test('has one normal form for every spelling of its mailbox', () => {
    const spellings: Record<string, string> = {
      'Ann.Smith+shop@Googlemail.com': 'annsmith@gmail.com',
      'a.n.n@gmail.com': 'ann@gmail.com',
      'Ann+x@outlook.com': 'ann@outlook.com',
      'ann.smith@outlook.com': 'ann.smith@outlook.com',
      'ann_x+y@protonmail.com': 'annx@proton.me',
      'Ann+x@Example.org': 'ann+x@example.org',
      '"Ann+x"@gmail.com': '"ann+x"@gmail.com',
      '+x@gmail.com': '+x@gmail.com',
      'Jörg@münchen.de': 'jörg@xn--mnchen-3ya.de',
    };
    for (const [email, normalized] of Object.entries(spellings)) {
      expect([email, normalizeAddress(parseMailbox(email)!)]).toEqual([email, normalized]);
    }
  });
});
