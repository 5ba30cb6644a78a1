import type { Network } from '../core/settings.ts';
import type { Resolver } from './dns.ts';

/** A URL that may be a target, as far as can be told without looking its name up. */
export interface Candidate {
  url: URL;
  /** Lower-case ASCII without brackets or a trailing dot: a name or an address. */
  host: string;
  port: number;
  is_tls: boolean;
}

/** An address that was judged and may be dialled. */
export interface Address {
  address: string;
  family: 4 | 6;
}

/** A target whose addresses were judged: these and no others may be dialled. */
export interface Target extends Candidate {
  /** At least one, in the order in which to try them. */
  addresses: Address[];
}

export type UrlJudgement =
  | { kind: 'candidate'; candidate: Candidate }
  | { kind: 'refused'; reasons: string[] };

export type TargetJudgement =
  | { kind: 'target'; target: Target }
  | { kind: 'refused'; reasons: string[] }
  /** The name could not be looked up: no rejection. */
  | { kind: 'unreachable'; reasons: string[] };

/** Judges what can be told without a look-up: form, scheme, port, user info, literal addresses. */
export function judgeUrl(_url: string, _allow: readonly Network[]): UrlJudgement {
  return { kind: 'refused', reasons: ['not built yet'] };
}

/** Why an address may not be dialled; null when it may. */
export function judgeAddress(_address: string, _allow: readonly Network[]): string | null {
  return 'not built yet';
}

/** Judges a URL and every address of its name. */
export async function resolveTarget(
  _resolver: Resolver,
  url: string,
  allow: readonly Network[],
): Promise<TargetJudgement> {
  const judged = judgeUrl(url, allow);
  return judged.kind === 'refused' ? judged : { kind: 'unreachable', reasons: [] };
}
