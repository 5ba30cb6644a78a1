/** Verdicts on a mail's sender: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989). Plain data. */

import type { VerdictResult } from '../../rules/verdicts.ts';

export interface SenderVerdict {
  result: VerdictResult;
  /** The domain checked: of the envelope or HELO, of the signature, or of From. */
  domain: string | null;
  /** A few words, partly from what strangers publish. */
  reason: string | null;
}

export interface Authentication {
  spf: SenderVerdict;
  /** One per signature checked; empty when the mail is unsigned. */
  dkim: (SenderVerdict & { selector: string | null; aligned: boolean })[];
  /** `policy` is what the domain requests for mail that fails; null if it publishes none. */
  dmarc: SenderVerdict & { policy: 'none' | 'quarantine' | 'reject' | null };
  /** Absent in verdicts of earlier versions. */
  from?: FromVerdict;
}

/** Whether the mail comes from where its From header says. */
export interface FromVerdict {
  /** The domain of From, in lower-case ASCII; null if there is none, or several. */
  domain: string | null;
  /**
   * True if DMARC passes. A domain that publishes no DMARC record needs none: SPF or a signature that passes for
   * exactly this domain is enough.
   */
  aligned: boolean;
}

/** Returns the verdict on From, also of verdicts that earlier versions stored. */
export function readFromVerdict({ from, dmarc }: Authentication): FromVerdict {
  return from ?? { domain: dmarc.domain, aligned: dmarc.result === 'pass' };
}

/** Characters of a reason, a domain or a selector. */
export const VERDICT_CHARS_MAX = 200;

/** Shortens a stranger's text and keeps it on one line. */
export function cutVerdictText(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, VERDICT_CHARS_MAX)
    .toWellFormed();
}

/** The verdicts on a mail that could not be checked. */
export function makeTempError(reason: string): Authentication {
  const verdict = { result: 'temperror' as const, domain: null, reason: cutVerdictText(reason) };
  const from = { domain: null, aligned: false };
  return { spf: verdict, dkim: [], dmarc: { ...verdict, policy: null }, from };
}

/** Signatures checked: each costs a look-up and a pass over the body (RFC 6376 6.1 permits a bound). */
const SIGNATURES_MAX = 10;
/** Octets of one DKIM-Signature; an honest one has fewer than 2,000. */
const SIGNATURE_BYTES_MAX = 8 * 1024;

/**
 * Returns the header section for the checks, without signatures beyond the bounds and without ARC, which is not
 * evaluated. All other bytes are unchanged; otherwise no signature would verify.
 */
export function fitHead(head: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let signatures = 0;
  for (const field of splitFields(head)) {
    const name = Buffer.from(field.subarray(0, 20)).toString('latin1').toLowerCase();
    if (/^arc-[a-z-]*\s*:?/.test(name)) continue;
    if (name.startsWith('dkim-signature')) {
      signatures += 1;
      if (signatures > SIGNATURES_MAX || field.length > SIGNATURE_BYTES_MAX) continue;
    }
    kept.push(field);
  }
  return Buffer.concat(kept);
}

/** Yields each field with its folded lines (RFC 5322 2.2.3), and the empty line at the end. */
function* splitFields(head: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  for (let at = head.indexOf(LF); at >= 0; at = head.indexOf(LF, at + 1)) {
    const next = head[at + 1];
    if (next === SPACE || next === TAB) continue;
    yield head.subarray(from, at + 1);
    from = at + 1;
  }
  if (from < head.length) yield head.subarray(from);
}

/**
 * Yields the mail with CRLF line ends. The library's conversion creates a chunk per line: 20 MB of bare LF took 47 s.
 */
export function* withCrlf(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let afterCr = false;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    yield needsCrlf(piece, afterCr) ? convertLines(piece, afterCr) : piece;
    afterCr = piece.at(-1) === CR;
  }
}

function needsCrlf(piece: Uint8Array, afterCr: boolean): boolean {
  for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, at + 1)) {
    if (at === 0 ? !afterCr : piece[at - 1] !== CR) return true;
  }
  return false;
}

function convertLines(piece: Uint8Array, afterCr: boolean): Uint8Array {
  // Latin-1 maps each byte to one character, so only line ends change.
  const text = Buffer.from(piece).toString('latin1');
  const rest = afterCr && text.startsWith('\n') ? 1 : 0;
  return Buffer.from(text.slice(0, rest) + text.slice(rest).replace(/(?<!\r)\n/g, '\r\n'), 'latin1');
}

const CR = 13;
const LF = 10;
const TAB = 9;
const SPACE = 32;
