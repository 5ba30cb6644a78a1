/** The DNS records of a domain: which it needs, and which exist. */
import { mxHost } from '../../platform/core/settings.ts';
import { findRegisteredDomain } from '../../platform/mail/domain-name.ts';
import type { DnsOutcome } from '../../platform/net/dns.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { matchesDkimKey } from './dkim-record.ts';
import type { RecordVerdict } from './lifecycle.ts';
import { adviseSpf } from './spf.ts';
import type { Domain } from './sql.ts';
import type { CheckedRecord, RecordPurpose, WantedRecord } from './wire.ts';

/** How many of the records that were found are shown. */
const SHOWN_RECORDS = 10;
const SHOWN_CHARS = 500;
/** The preference of the MX record. Its value does not matter, because we ask for only one. */
export const MX_PREFERENCE = 10;

/** Returns the host of the ownership record (docs/decisions.md, Domains). */
export function makeChallengeHost(name: string): string {
  return `_postern-challenge.${name}`;
}

export function makeDkimHost(name: string, selector: string): string {
  return `${selector}._domainkey.${name}`;
}

export function expectOwnership({ name, verification_token }: Domain): WantedRecord {
  const host = makeChallengeHost(name);
  return { purpose: 'ownership', type: 'TXT', host, value: verification_token, is_needed: true, note: null };
}

export function expectMx({ settings }: Pick<PlatformServices, 'settings'>, { name }: Domain): WantedRecord {
  const value = mxHost(settings).toLowerCase();
  return { purpose: 'mx', type: 'MX', host: name, value, is_needed: true, note: null };
}

export function expectDkim({ name }: Domain, selector: string, value: string): WantedRecord {
  return {
    purpose: 'dkim',
    type: 'TXT',
    host: makeDkimHost(name, selector),
    value,
    is_needed: true,
    note: null,
  };
}

/** Returns all records that a domain needs, including those for sending once it has a key. */
export function listRecords(services: Pick<PlatformServices, 'settings'>, domain: Domain): WantedRecord[] {
  const { name, dkim_selector, dkim_public_key_txt } = domain;
  const receiving = [expectOwnership(domain), expectMx(services, domain)];
  if (dkim_selector === null || dkim_public_key_txt === null) return receiving;
  const { mechanisms, note } = adviseSpf(services.settings.outbound);
  const advice = { type: 'TXT', is_needed: false } as const;
  return [
    ...receiving,
    expectDkim(domain, dkim_selector, dkim_public_key_txt),
    { ...advice, purpose: 'spf', host: name, value: `v=spf1 ${mechanisms.join(' ')} ~all`, note },
    { ...advice, purpose: 'dmarc', host: `_dmarc.${name}`, value: 'v=DMARC1; p=none', note: null },
  ];
}

/** Looks up all of a domain's records at once, which takes no longer than one look-up. */
export function checkRecords(
  services: Pick<PlatformServices, 'settings' | 'outside'>,
  domain: Domain,
): Promise<CheckedRecord[]> {
  return Promise.all(listRecords(services, domain).map((record) => checkRecord(services, record)));
}

/** Looks up one record. */
export async function checkRecord(
  { outside }: Pick<PlatformServices, 'outside'>,
  wanted: WantedRecord,
): Promise<CheckedRecord> {
  const { resolver } = outside;
  const { host, type, purpose } = wanted;
  if (type === 'MX') {
    const outcome = await resolver.mx(host);
    const found = outcome.kind === 'answer' ? outcome.records.map(({ exchange }) => exchange) : [];
    return judgeRecord(wanted, outcome, found, found.includes(wanted.value));
  }
  const own = await resolver.txt(host);
  if (purpose !== 'dmarc' || findTexts(purpose, own).length > 0) return judgeTexts(wanted, own);
  // The policy of the organizational domain also applies to subdomains (RFC 7489, section 6.6.3).
  const parent = `_dmarc.${findRegisteredDomain(host.slice('_dmarc.'.length))}`;
  return judgeTexts(wanted, parent === host ? own : await resolver.txt(parent));
}

function judgeTexts(wanted: WantedRecord, outcome: DnsOutcome<string>): CheckedRecord {
  const found = findTexts(wanted.purpose, outcome);
  return judgeRecord(wanted, outcome, found, isCorrect(wanted, found));
}

function findTexts(purpose: RecordPurpose, outcome: DnsOutcome<string>): string[] {
  return outcome.kind === 'answer' ? outcome.records.filter((text) => isAbout(purpose, text)) : [];
}

/** Whether a TXT record has this purpose: a name may have others, too. */
function isAbout(purpose: RecordPurpose, text: string): boolean {
  if (purpose === 'spf') return /^v=spf1( |$)/i.test(text);
  if (purpose === 'dmarc') return /^v=DMARC1\s*(;|$)/i.test(text);
  return true;
}

function isCorrect({ purpose, value }: WantedRecord, found: readonly string[]): boolean {
  if (purpose === 'ownership') return found.some((text) => text.trim() === value);
  if (purpose === 'dkim') return matchesDkimKey(value, found);
  // SPF and DMARC are only advice, so any value will do. Of two records, neither counts (RFC 7208, 4.5; RFC 7489,
  // 6.6.3).
  return found.length === 1;
}

function judgeRecord(
  wanted: WantedRecord,
  outcome: DnsOutcome<unknown>,
  all: string[],
  isCorrect: boolean,
): CheckedRecord {
  const found = all.slice(0, SHOWN_RECORDS).map(makePrintable);
  if (outcome.kind !== 'answer' && outcome.kind !== 'nxdomain' && outcome.kind !== 'nodata') {
    const error = `The DNS did not answer whether ${wanted.host} has ${wanted.type} records: ${outcome.reason}.`;
    return { ...wanted, ok: null, found, error };
  }
  return { ...wanted, ok: isCorrect, found, error: isCorrect ? null : explainMismatch(wanted, found) };
}

const recordNames: Readonly<Record<RecordPurpose, string>> = {
  ownership: 'TXT',
  mx: 'MX',
  dkim: 'DKIM (TXT)',
  spf: 'SPF (TXT)',
  dmarc: 'DMARC (TXT)',
};

function explainMismatch({ purpose, type, host, value }: WantedRecord, found: readonly string[]): string {
  const what = recordNames[purpose];
  if (found.length === 0) return `There is no ${what} record at ${host}.`;
  const there = found.map((one) => JSON.stringify(one)).join(', ');
  if (type === 'MX') return `${value} is not among the MX records of ${host}, which are ${there}.`;
  if (purpose === 'ownership')
    return `The TXT record at ${host} is not the verification token, but ${there}.`;
  if (purpose === 'dkim') return `The TXT record at ${host} is not this domain's public key, but ${there}.`;
  return `There is more than one ${what} record at ${host}, so none of them counts.`;
}

/** Makes text safe to print: a stranger's zone may contain anything. */
function makePrintable(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > SHOWN_CHARS ? `${plain.slice(0, SHOWN_CHARS)}…` : plain;
}

export function readRecordVerdict({ ok }: CheckedRecord): RecordVerdict {
  return ok === null ? 'unknown' : ok ? 'yes' : 'no';
}
