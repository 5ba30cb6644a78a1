/**
 * Checks that the names point to this server before asking the CA, which allows only a few failed validations. Each
 * name must have an address, and a request to it on port 80 should reach our own port for challenges.
 */
import { randomBytes } from 'node:crypto';
import type { ChallengeDoor } from '../../platform/net/acme/challenge-door.ts';
import { type DnsOutcome, findDnsFailure, type Resolver } from '../../platform/net/dns.ts';
import { anyNetwork } from '../../platform/net/guard.ts';
import { call } from '../../platform/net/post.ts';

export type Precheck =
  /** Nothing wrong can be seen from here. */
  | { kind: 'fine' }
  /** A name has no address: the CA can't reach it either. */
  | { kind: 'lost'; reason: string }
  /** Another server answers. Behind some routers this can happen although the CA would reach us. */
  | { kind: 'elsewhere'; reason: string };

export interface PrecheckParts {
  names: readonly string[];
  resolver: Resolver;
  door: Pick<ChallengeDoor, 'answer'>;
  extraCa: readonly string[];
  signal: AbortSignal;
  /** Other than 80 only in tests. */
  port?: number;
}

/** Checks all names. If several have a problem, returns the worst. */
export async function precheckNames(parts: PrecheckParts): Promise<Precheck> {
  const findings = await Promise.all(parts.names.map((name) => precheckName(parts, name)));
  const first = (kind: Precheck['kind']) => findings.find((finding) => finding.kind === kind);
  return first('lost') ?? first('elsewhere') ?? { kind: 'fine' };
}

async function precheckName(parts: PrecheckParts, name: string): Promise<Precheck> {
  const outcomes = await Promise.all([parts.resolver.a(name), parts.resolver.aaaa(name)]);
  const hasAddress = outcomes.some((outcome) => outcome.kind === 'answer' && outcome.records.length > 0);
  if (!hasAddress) return { kind: 'lost', reason: explainLost(name, outcomes) };
  return requestSelf(parts, name);
}

/**
 * Requests a challenge of our own. No answer proves nothing: many routers don't route a request from inside back in.
 */
async function requestSelf(
  { door, resolver, extraCa, signal, port = 80 }: PrecheckParts,
  name: string,
): Promise<Precheck> {
  const token = randomBytes(24).toString('base64url');
  const text = randomBytes(24).toString('base64url');
  const end = door.answer(name, token, text);
  try {
    const outcome = await call({
      method: 'GET',
      url: `http://${name}${port === 80 ? '' : `:${port}`}/.well-known/acme-challenge/${token}`,
      headers: { 'user-agent': 'Postern (ACME check of itself)' },
      body: null,
      keptBytesMax: 1024,
      // The names are the operator's own, and the answer is only compared.
      allow: anyNetwork,
      resolver,
      extraCa,
      signal,
    });
    if (outcome.kind !== 'answered' || outcome.body === text) return { kind: 'fine' };
    return {
      kind: 'elsewhere',
      reason: `another server answers at http://${name} (status ${outcome.status}): point its A and AAAA records to this machine, and forward port 80 to POSTERN_ACME_HTTP_LISTEN`,
    };
  } finally {
    end();
  }
}

function explainLost(name: string, outcomes: readonly DnsOutcome<string>[]): string {
  const failure = findDnsFailure(outcomes);
  if (failure !== null) return `${name} could not be looked up: ${failure}`;
  return `${name} has no address: publish an A or AAAA record with the address of this machine`;
}
