import { parseAddress, toInboxAddress } from '../../../platform/mail/address.ts';
import { SENDERS_MAX } from '../../../platform/mail/bounds.ts';
import type { SenderMode, WithheldReason } from '../../../rules/senders.ts';

/*
 * What an inbox's lists say about a mail. The most specific entry for a sender decides: its address, then its domain,
 * then the nearest domain above. A block counts for what From claims, because a stranger gains nothing by claiming to
 * be somebody blocked. An allowance counts only for a From that is proven, because anybody can write one.
 */

/** An entry that fits a sender. */
export interface ListedEntry {
  entry: string;
  list: 'allow' | 'block';
}

/** Whether From is proven. `pending`: SPF, DKIM and DMARC are still being checked. */
export type Proof = { domain: string | null; aligned: boolean } | 'pending' | 'never';

/** What may be in the lists for these senders; the first has the most weight. */
export function listCandidates(senders: readonly string[]): string[] {
  return [...new Set(senders.slice(0, SENDERS_MAX).flatMap((sender) => weighCandidates(sender)))];
}

/** Why the mail is withheld; null when it is handed on. */
export function judgeSenders(
  senders: readonly string[],
  mode: SenderMode,
  listed: readonly ListedEntry[],
  proof: Proof,
): WithheldReason | null {
  const entries = new Map(listed.map(({ entry, list }) => [entry, list]));
  // A mail without a From address, or with too many, comes from no allowed sender.
  if (senders.length === 0) return mode === 'everyone' ? null : 'not_allowed';
  if (senders.length > SENDERS_MAX) return mode === 'everyone' ? 'blocked' : 'not_allowed';
  const found = senders.map((sender) => judgeOne(sender, mode, entries, proof));
  return severest.find((reason) => found.includes(reason)) ?? null;
}

const severest: readonly WithheldReason[] = ['blocked', 'not_allowed', 'unauthenticated', 'unproven'];

function judgeOne(
  sender: string,
  mode: SenderMode,
  entries: ReadonlyMap<string, 'allow' | 'block'>,
  proof: Proof,
): WithheldReason | null {
  const candidates = weighCandidates(sender);
  const base = candidates[1];
  // `ann+x@` may be another person than `ann@`, so only a block of `ann@` includes it.
  const fitting = candidates.flatMap((candidate, index) => {
    const list = entries.get(candidate);
    const isOther = candidate === base && index === 1 && base !== candidates[0];
    return list === undefined || (list === 'allow' && isOther) ? [] : list;
  });
  if (fitting[0] === 'block') return 'blocked';
  // To everyone, allowing somebody only lifts a block that would include them.
  const isExcepted = fitting[0] === 'allow' && (mode === 'allowed_only' || fitting.includes('block'));
  if (isExcepted) return judgeProof(sender, proof);
  return mode === 'everyone' ? null : 'not_allowed';
}

function judgeProof(sender: string, proof: Proof): WithheldReason | null {
  if (proof === 'pending') return 'unproven';
  if (proof === 'never') return 'unauthenticated';
  return proof.aligned && proof.domain === parseAddress(sender)?.domain ? null : 'unauthenticated';
}

/** The sender's address, without its tag, its domain, and the wildcards above it, nearest first. */
function weighCandidates(sender: string): string[] {
  // `eve@spam.example.` is the same, written as a whole name of the DNS.
  const parsed = parseAddress(sender.replace(/\.$/, ''));
  if (!parsed) return [];
  const { local, domain } = parsed;
  const labels = domain.split('.');
  const above = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [`${local.toLowerCase()}@${domain}`, toInboxAddress(parsed), domain, ...above];
}
