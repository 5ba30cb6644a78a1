import { parseAddress, toInboxAddress } from '../../../platform/mail/address.ts';
import { SENDERS_MAX } from '../../../platform/mail/bounds.ts';
import type { SenderMode, WithheldReason } from '../../../rules/senders.ts';

/*
 * Decides by an inbox's sender lists whether a mail is withheld. The most specific entry for a sender counts: its
 * address, then its domain, then the nearest domain above. A block applies to whatever From claims, because a stranger
 * gains nothing by claiming to be a blocked sender. An allowance applies only to a proven From, because anyone can
 * write one.
 */

/** An entry of an inbox's lists that matches a sender. */
export interface ListedEntry {
  entry: string;
  list: 'allow' | 'block';
}

/** Whether From is proven. `pending`: SPF, DKIM and DMARC are still being checked. */
export type Proof = { domain: string | null; aligned: boolean } | 'pending' | 'never';

/** Lists every entry that could match these senders, to look up in an inbox's lists. */
export function listCandidates(senders: readonly string[]): string[] {
  return [...new Set(senders.slice(0, SENDERS_MAX).flatMap((sender) => expandSender(sender)))];
}

/** Returns why the mail is withheld, or null if it is not. `listed` are the inbox's entries among the candidates. */
export function judgeSenders(
  senders: readonly string[],
  mode: SenderMode,
  listed: readonly ListedEntry[],
  proof: Proof,
): WithheldReason | null {
  const entries = new Map(listed.map(({ entry, list }) => [entry, list]));
  // A mail with no From address, or with too many, comes from no allowed sender.
  if (senders.length === 0) return mode === 'everyone' ? null : 'not_allowed';
  if (senders.length > SENDERS_MAX) return mode === 'everyone' ? 'blocked' : 'not_allowed';
  const found = senders.map((sender) => judgeOne(sender, mode, entries, proof));
  return mostSevereFirst.find((reason) => found.includes(reason)) ?? null;
}

const mostSevereFirst: readonly WithheldReason[] = ['blocked', 'not_allowed', 'unauthenticated', 'unproven'];

function judgeOne(
  sender: string,
  mode: SenderMode,
  entries: ReadonlyMap<string, 'allow' | 'block'>,
  proof: Proof,
): WithheldReason | null {
  const candidates = expandSender(sender);
  const base = candidates[1];
  // `ann+x@` may be another person than `ann@`: a block of `ann@` includes it, but an allowance does not.
  const matching = candidates.flatMap((candidate, index) => {
    const list = entries.get(candidate);
    const isOther = candidate === base && index === 1 && base !== candidates[0];
    return list === undefined || (list === 'allow' && isOther) ? [] : list;
  });
  if (matching[0] === 'block') return 'blocked';
  // In the mode `everyone`, an allowance only makes an exception from a wider block.
  const isExcepted = matching[0] === 'allow' && (mode === 'allowed_only' || matching.includes('block'));
  if (isExcepted) return judgeProof(sender, proof);
  return mode === 'everyone' ? null : 'not_allowed';
}

function judgeProof(sender: string, proof: Proof): WithheldReason | null {
  if (proof === 'pending') return 'unproven';
  if (proof === 'never') return 'unauthenticated';
  return proof.aligned && proof.domain === parseAddress(sender)?.domain ? null : 'unauthenticated';
}

/**
 * The entries that match a sender, most specific first: its address, that without the tag, its domain, wildcards above
 * it.
 */
function expandSender(sender: string): string[] {
  // `eve@spam.example.` is the same address: a DNS name may end in a dot.
  const parsed = parseAddress(sender.replace(/\.$/, ''));
  if (!parsed) return [];
  const { local, domain } = parsed;
  const labels = domain.split('.');
  const above = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [`${local.toLowerCase()}@${domain}`, toInboxAddress(parsed), domain, ...above];
}
