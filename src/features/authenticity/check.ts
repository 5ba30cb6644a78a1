import { Readable } from 'node:stream';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { readReason } from '../../platform/core/thrown.ts';
import {
  type Authentication,
  cutVerdictText,
  type FromVerdict,
  fitHead,
  type SenderVerdict,
  withCrlf,
} from '../../platform/mail/authentication.ts';
import { HEADER_BYTES_MAX } from '../../platform/mail/bounds.ts';
import type { Resolver } from '../../platform/net/dns.ts';
import { type VerdictResult, verdictResults } from '../../rules/verdicts.ts';
import { boundResolver } from './resolver.ts';

/** Time for a whole mail. RFC 7208, section 4.6.4, asks for at least this much. */
export const CHECK_MS_MAX = 20_000;

/** A mail to check. */
export interface CheckedMail {
  client_address: string;
  helo: string;
  /** Empty for the null reverse-path, for which HELO is checked instead (RFC 7208, section 2.4). */
  envelope_from: string;
  /** Our own host name, used only in SPF macros. */
  mx_host: string;
  /** The mail as received, in pieces. */
  pieces: Iterable<Uint8Array>;
}

/** Checks a mail's sender. Takes at most CHECK_MS_MAX if the DNS is slow. Never rejects because of the mail. */
export async function checkSender(mail: CheckedMail, dns: Resolver): Promise<Authentication> {
  const deadlineMs = performance.now() + CHECK_MS_MAX;
  const resolver = boundResolver(dns, deadlineMs);
  const [spfFound, dkimFound] = await Promise.all([
    checkSpf(mail, resolver),
    checkDkim(mail, resolver, deadlineMs),
  ]);
  const { verdict: spfVerdict, passed } = spfFound;
  if (!('results' in dkimFound)) {
    const dmarc = { ...dkimFound, domain: null, policy: null };
    return { spf: spfVerdict, dkim: [], dmarc, from: unknownFrom };
  }
  const signed = dkimFound.results.filter(({ status }) => status.result !== 'none');
  for (const { status } of signed) rejectPartialSignature(status);
  const { dmarc, aligned, from } = await checkDmarc(dkimFound, signed, passed, resolver);
  return {
    spf: spfVerdict,
    dkim: signed.map(({ status, signingDomain, selector }) => ({
      ...readVerdict(status.result, signingDomain, status.comment),
      selector: selector ? cutVerdictText(selector) : null,
      aligned: status.result === 'pass' && aligned.has((signingDomain ?? '').toLowerCase()),
    })),
    dmarc,
    from,
  };
}

const unknownFrom: FromVerdict = { domain: null, aligned: false };

type Ask = ReturnType<typeof boundResolver>;
type Dkim = Awaited<ReturnType<typeof dkimVerify>>;

async function checkSpf(
  mail: CheckedMail,
  resolver: Ask,
): Promise<{ verdict: SenderVerdict; passed: string[] }> {
  const { client_address, helo, envelope_from, mx_host } = mail;
  try {
    const found = await spf({
      ip: client_address,
      helo,
      sender: envelope_from,
      mta: mx_host,
      resolver: resolver as never,
      maxElapsedTime: CHECK_MS_MAX,
    });
    if (!found) return { verdict: readVerdict('none', null, 'there is nothing to check'), passed: [] };
    const { status, domain } = found;
    const passed = status.result === 'pass' && domain ? [domain] : [];
    return { verdict: readVerdict(status.result, domain, status.comment), passed };
  } catch (fault) {
    return { verdict: readVerdict('temperror', null, readReason(fault)), passed: [] };
  }
}

/** Why DKIM can't be checked at all. */
interface Unreadable {
  result: 'permerror' | 'temperror';
  reason: string;
}

async function checkDkim(mail: CheckedMail, resolver: Ask, deadlineMs: number): Promise<Dkim | Unreadable> {
  const head = splitHead(mail.pieces);
  if (!head) return { result: 'permerror', reason: 'the header section is too long to be checked' };
  const pieces = stopAtDeadline(withCrlf(head), deadlineMs);
  try {
    const input = Readable.from(pieces, { objectMode: false, highWaterMark: 64 * 1024 });
    return await dkimVerify(input, { resolver: resolver as never, minBitLength: 1024 });
  } catch (fault) {
    return { result: 'temperror', reason: cutVerdictText(readReason(fault)) };
  }
}

/**
 * Rejects a signature over only the start of the body (l=), which does not cover appended text (RFC 6376, section 8.2).
 */
function rejectPartialSignature(status: Dkim['results'][number]['status']): void {
  if (status.result !== 'pass' || !status.underSized) return;
  status.result = 'policy';
  status.comment = `${status.underSized} bytes at the end of the body are not signed`;
}

/** Stops at the deadline, because the work grows with the mail. */
function* stopAtDeadline(pieces: Iterable<Uint8Array>, deadlineMs: number): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (performance.now() > deadlineMs) throw new Error('the time for this mail is over');
    yield piece;
  }
}

/** Returns the mail with its header section in a form that can be checked; null if that section is too long. */
function splitHead(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> | null {
  const iterator = pieces[Symbol.iterator]();
  let start = Buffer.alloc(0);
  for (let step = iterator.next(); !step.done; step = iterator.next()) {
    start = Buffer.concat([start, step.value]);
    const end = findHeadEnd(start);
    if (end === null && start.length <= HEADER_BYTES_MAX) continue;
    if (end === null || end > HEADER_BYTES_MAX) return null;
    const rest: Iterable<Uint8Array> = { [Symbol.iterator]: () => iterator };
    return joinPieces(start, end, rest);
  }
  // Without an empty line, all of it is header.
  return start.length > HEADER_BYTES_MAX ? null : [fitHead(start)];
}

function* joinPieces(start: Buffer, end: number, rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield fitHead(start.subarray(0, end));
  yield start.subarray(end);
  yield* rest;
}

/** Returns where the body starts; null if the empty line is not in these bytes. */
function findHeadEnd(bytes: Buffer): number | null {
  if (bytes[0] === 10) return 1;
  if (bytes[0] === 13 && bytes[1] === 10) return 2;
  const crlf = bytes.indexOf('\n\r\n');
  const lf = bytes.indexOf('\n\n');
  if (crlf < 0 && lf < 0) return null;
  return lf < 0 || (crlf >= 0 && crlf < lf) ? crlf + 3 : lf + 2;
}

async function checkDmarc(
  dkim: Dkim,
  signed: Dkim['results'],
  spfDomains: string[],
  resolver: Ask,
): Promise<{ dmarc: Authentication['dmarc']; aligned: Set<string>; from: FromVerdict }> {
  const dkimDomains = signed
    .filter(({ status }) => status.result === 'pass')
    .map(({ id, signingDomain, status }) => ({ id, domain: signingDomain, aligned: status.aligned }));
  try {
    const { response, reason, dkimAligned } = await evaluateDmarc({
      headerFrom: dkim.headerFrom,
      fromFields: dkim.fromFields,
      spfDomains,
      dkimDomains: dkimDomains as never,
      resolver: resolver as never,
    });
    const aligned = dkimAligned ?? new Set();
    if (!response)
      return {
        dmarc: { ...readVerdict('permerror', null, reason?.replaceAll('-', ' ')), policy: null },
        aligned,
        from: unknownFrom,
      };
    const { status, domain, policy } = response;
    const known = policy === 'none' || policy === 'quarantine' || policy === 'reject' ? policy : null;
    const proven = [...spfDomains, ...dkimDomains.map((signed) => signed.domain)];
    return {
      dmarc: { ...readVerdict(status.result, domain, status.comment), policy: known },
      aligned,
      from: judgeFrom(status, proven),
    };
  } catch (fault) {
    return {
      dmarc: { ...readVerdict('temperror', null, readReason(fault)), policy: null },
      aligned: new Set(),
      from: unknownFrom,
    };
  }
}

/** Without a DMARC record, nothing says how loosely domains may align, so only From's own domain proves it. */
function judgeFrom(
  { result, header }: { result?: string; header?: { from?: unknown } },
  proven: readonly (string | undefined)[],
): FromVerdict {
  const written = header?.from;
  if (typeof written !== 'string' || written === '') return unknownFrom;
  const domain = readDomain(written);
  const isProven = proven.some((one) => one !== undefined && readDomain(one) === domain);
  return { domain: cutVerdictText(domain), aligned: result === 'pass' || (result === 'none' && isProven) };
}

const readDomain = (written: string) => written.toLowerCase().replace(/\.$/, '');

function readVerdict(
  result: string | undefined,
  domain: string | false | null | undefined,
  comment: unknown,
): SenderVerdict {
  const known = verdictResults.find((one) => one === result);
  return {
    result: known ?? ('temperror' satisfies VerdictResult),
    domain: domain ? cutVerdictText(domain) : null,
    reason: typeof comment === 'string' && comment !== '' ? cutVerdictText(comment) : null,
  };
}
