/**
 * Finds out whether a domain requires TLS to its exchangers (MTA-STS, RFC 8461). A TXT record announces a policy, which is fetched
 * by https. It holds until its max_age ends, even if the record disappears or a fetch fails, so that an attacker in between can't
 * remove it. mailauth 7.1.0 has this as well, but it connects to private addresses, can't use extra certificates, and takes 37 MB
 * once it is loaded.
 */

import { sending as rules } from '../../rules/sending.ts';
import { type Clock, SECOND_US } from '../core/clock.ts';
import type { Network } from '../core/settings.ts';
import type { Resolver } from './dns.ts';
import { call } from './post.ts';

export interface StsPolicy {
  mode: 'enforce' | 'testing' | 'none';
  /** Names of its exchangers; `*.` matches one label. */
  mx: string[];
  max_age_s: number;
}

/** A policy in storage. */
export interface KeptPolicy {
  /** The id in the TXT record. */
  id: string;
  policy: StsPolicy;
  expires_at: number;
}

/** Storage for policies, which outlives the process. */
export interface PolicyShelf {
  get(domain: string): KeptPolicy | null;
  put(domain: string, kept: KeptPolicy): void;
}

export interface StsSurroundings {
  resolver: Resolver;
  clock: Clock;
  /** The networks allowed for the mail itself. */
  allow: readonly Network[];
  extraCa: readonly string[];
  shelf: PolicyShelf;
  /** Port of the policy host; only tests use another than 443. */
  httpsPort?: number;
}

const ID = /^[A-Za-z0-9]{1,32}$/;
const POLICY_MX_MAX = 100;

/** Looks up policies. Concurrent callers share the look-up of a domain, and a fetch that failed is not repeated for a while. */
export class StsPolicies {
  /** The time, on the monotonic clock, before which the policy of a domain is not fetched again. */
  private readonly failed = new Map<string, number>();
  private readonly underWay = new Map<string, Promise<StsPolicy | null>>();

  constructor(private readonly around: StsSurroundings) {}

  /** Returns the policy in force; null if there is none. Never rejects. */
  of(domain: string): Promise<StsPolicy | null> {
    const known = this.underWay.get(domain);
    if (known) return known;
    const asked = this.find(domain).finally(() => this.underWay.delete(domain));
    this.underWay.set(domain, asked);
    return asked;
  }

  private async find(domain: string): Promise<StsPolicy | null> {
    const { clock, shelf, resolver } = this.around;
    const nowUs = clock.nowUs();
    const kept = shelf.get(domain);
    const valid = kept && kept.expires_at > nowUs ? kept : null;
    const record = await resolver.txt(`_mta-sts.${domain}`);
    const id = record.kind === 'answer' ? readId(record.records) : null;
    if (id === null || id === valid?.id) return valid?.policy ?? null;
    if ((this.failed.get(domain) ?? 0) > clock.elapsedMs()) return valid?.policy ?? null;
    const policy = await this.fetch(domain);
    if (!policy) {
      this.noteFailure(domain);
      return valid?.policy ?? null;
    }
    this.failed.delete(domain);
    const ageS = Math.min(Math.max(policy.max_age_s, rules.stsMinAgeS), rules.stsMaxAgeS);
    shelf.put(domain, { id, policy, expires_at: nowUs + ageS * SECOND_US });
    return policy;
  }

  private async fetch(domain: string): Promise<StsPolicy | null> {
    const { httpsPort, allow, resolver, extraCa } = this.around;
    const port = httpsPort === undefined ? '' : `:${httpsPort}`;
    const outcome = await call({
      method: 'GET',
      body: null,
      url: `https://mta-sts.${domain}${port}/.well-known/mta-sts.txt`,
      headers: { 'User-Agent': 'Postern' },
      allow,
      resolver,
      extraCa,
      keptBytesMax: rules.stsPolicyBytesMax,
    });
    if (outcome.kind !== 'answered' || outcome.status !== 200) return null;
    // One that broke off may lack exchangers, whose mail would be held back until it expires.
    return outcome.call?.isWhole ? parsePolicy(outcome.body) : null;
  }

  private noteFailure(domain: string): void {
    if (this.failed.size >= rules.stsDomainsMax) this.failed.clear();
    this.failed.set(domain, this.around.clock.elapsedMs() + rules.stsRetryS * 1000);
  }
}

/** Returns the id of the only record of this version; null if there is none, or more than one (RFC 8461 3.1). */
function readId(records: readonly string[]): string | null {
  const [only, ...more] = records.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  if (only === undefined || more.length > 0) return null;
  const fields = only.split(';').map((field) => field.trim());
  const id = fields.find((field) => /^id[ \t]*=/.test(field))?.replace(/^id[ \t]*=[ \t]*/, '') ?? '';
  return ID.test(id) ? id : null;
}

/**
 * Leaves the blanks around the value to `trimBlanks`. With a run of blanks on both sides of the value, a line that can't match
 * would take time in the cube of its length, and a policy is a stranger's text.
 */
const FIELD = /^([A-Za-z0-9_.-]+)[ \t]*:(.*)$/s;

function trimBlanks(text: string): string {
  let [from, to] = [0, text.length];
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  while (from < to && isBlank(from)) from += 1;
  while (to > from && isBlank(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** Parses a policy (RFC 8461 3.2). Null if it is invalid. */
export function parsePolicy(text: string): StsPolicy | null {
  const values = new Map<string, string>();
  const mx: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', rest = ''] = FIELD.exec(line) ?? [];
    const value = trimBlanks(rest);
    if (key === 'mx' && mx.length < POLICY_MX_MAX) mx.push(value.toLowerCase().replace(/\.$/, ''));
    else if (key !== '' && !values.has(key)) values.set(key, value);
  }
  const mode = values.get('mode');
  const maxAge = values.get('max_age') ?? '';
  if (values.get('version') !== 'STSv1' || !/^\d{1,10}$/.test(maxAge)) return null;
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null;
  if (mode !== 'none' && mx.length === 0) return null;
  return { mode, mx, max_age_s: Number(maxAge) };
}

/** Whether a policy names this exchanger (RFC 8461 4.1). */
export function isListed({ mx }: StsPolicy, host: string): boolean {
  return mx.some((pattern) =>
    pattern.startsWith('*.')
      ? host.slice(host.indexOf('.') + 1) === pattern.slice(2) && host.includes('.')
      : pattern === host,
  );
}
