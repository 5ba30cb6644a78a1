import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/core/clock.ts';
import { SlotGate } from '../../platform/core/gate.ts';
import type { Network } from '../../platform/core/settings.ts';
import { Windows } from '../../platform/core/window.ts';
import type { EnvelopeMailbox } from '../../platform/mail/address-syntax.ts';
import type { MailResolver } from '../../platform/net/dns-cache.ts';
import { type Address, judgeAddress } from '../../platform/net/guard.ts';
import { type ProbeOutcome, probeRecipients } from '../../platform/net/smtp-probe.ts';
import { Recent } from './recent.ts';
import { type Meaning, readMeaning } from './reply-meaning.ts';

/*
 * Full mode: asks a domain's mail server, within bounds that keep us from being a nuisance. Failures are never errors
 * but part of the report, and the safe verdict then applies.
 */

/** The `smtp` field of a verification in full mode (docs/api-v1.md). */
export interface ProbeReport {
  probe: 'completed' | 'skipped' | 'failed';
  rcpt_code: number | null;
  catch_all: boolean | null;
  reason: string;
}

export interface ProbeFinding extends ProbeReport {
  /** What the report says about the mailbox; null if nothing. */
  meaning: Exclude<Meaning, 'temporary' | 'refused'> | null;
}

export interface ProbeOptions {
  clock: Clock;
  resolver: MailResolver;
  port: number;
  allow: readonly Network[];
  helo: string;
}

export interface MailboxQuery {
  mailbox: EnvelopeMailbox;
  /** The domain's MX hosts, best first. */
  hosts: readonly string[];
  /** The account that asks, for its share of the sessions. */
  accountId: string;
}

/**
 * Sessions at the same time. An account on its own may hold half of them, and half of the places to wait (SlotGate).
 */
const AT_ONCE_MAX = 40;
const WAITING_MAX = 400;
const WAIT_MS = 15_000;
/** Sessions with one domain in a window. */
const DOMAIN_SESSIONS_MAX = 60;
const DOMAIN_WINDOW_S = 600;
/** After this many sessions in a row without an answer, a domain is skipped for a while. */
const FAILURES_MAX = 3;
const COOLDOWN_MS = 5 * 60_000;
/** How long we remember whether a domain accepts every address. */
const CATCH_ALL_MS = 60 * 60_000;
const DOMAINS_MAX = 10_000;
/** How many MX hosts are looked up. */
const HOSTS_MAX = 5;
/** How many addresses are dialled until one answers. */
const DIALS_MAX = 2;
/** Not counted as a failure of the server, which still works for other mailboxes. */
const NO_UTF8 = 'smtputf8_unsupported';

export class Prober {
  private readonly gate: SlotGate;
  private readonly sessions = new Windows();
  private readonly failures: Recent<number>;
  private readonly catchAll: Recent<boolean>;

  constructor(private readonly options: ProbeOptions) {
    const { clock } = options;
    this.gate = new SlotGate(clock, { insideMax: AT_ONCE_MAX, waitingMax: WAITING_MAX, waitMs: WAIT_MS });
    this.failures = new Recent(clock, DOMAINS_MAX, COOLDOWN_MS);
    this.catchAll = new Recent(clock, DOMAINS_MAX, CATCH_ALL_MS);
  }

  /** Asks whether the mailbox exists. Never rejects. */
  async probe({ mailbox, hosts, accountId }: MailboxQuery, signal: AbortSignal): Promise<ProbeFinding> {
    const { domain } = mailbox;
    // A server that accepts every address can't tell whether one mailbox exists.
    if (this.catchAll.get(domain)) return knownCatchAll;
    if ((this.failures.get(domain) ?? 0) >= FAILURES_MAX || !this.hasSession(domain))
      return makeSkipped('cooldown');
    const leave = await this.gate.enter(signal, accountId);
    if (!leave) return makeSkipped(signal.aborted ? 'deadline' : 'capacity');
    try {
      return await this.ask(mailbox, hosts, signal);
    } finally {
      leave();
    }
  }

  private async ask(
    mailbox: EnvelopeMailbox,
    hosts: readonly string[],
    signal: AbortSignal,
  ): Promise<ProbeFinding> {
    const { domain } = mailbox;
    const found = await this.findTargets(hosts);
    if (found.kind !== 'found')
      return found.kind === 'none' ? makeSkipped('mx_non_public') : makeFailed('mx_unresolved');
    // Another session may have asked while this one waited.
    if (this.catchAll.get(domain)) return knownCatchAll;
    if (!this.hasSession(domain)) return makeSkipped('cooldown');
    this.sessions.take(domain, DOMAIN_WINDOW_S, this.options.clock.nowUs());
    const isCatchAllKnown = this.catchAll.get(domain) === false;
    let outcome: ProbeOutcome | null = null;
    for (const address of found.addresses.slice(0, DIALS_MAX)) {
      outcome = await this.runSession(address, mailbox, isCatchAllKnown, signal);
      // If nothing accepted the connection, there was no session yet, and the next address is tried.
      if (outcome.kind === 'asked' || outcome.at !== 'connect' || signal.aborted) break;
    }
    const finding = makeFinding(outcome!, isCatchAllKnown ? false : null);
    if (finding.catch_all !== null && !isCatchAllKnown) this.catchAll.set(domain, finding.catch_all);
    if (finding.meaning !== null) this.failures.delete(domain);
    else if (!signal.aborted && finding.reason !== NO_UTF8)
      this.failures.set(domain, (this.failures.get(domain) ?? 0) + 1);
    return finding;
  }

  private runSession(address: Address, mailbox: EnvelopeMailbox, isKnown: boolean, signal: AbortSignal) {
    const { clock, port, helo } = this.options;
    const { local, domain, isInternational } = mailbox;
    // A server that accepts a random address accepts every address.
    const nobody = `${randomBytes(10).toString('hex')}@${domain}`;
    const recipients = [...(isKnown ? [] : [nobody]), `${local}@${domain}`];
    return probeRecipients(clock, { address, port, helo, recipients, isInternational }, signal);
  }

  /**
   * Returns the public addresses of the best host that has one, IPv4 first: more servers accept unknown clients on it.
   */
  private async findTargets(hosts: readonly string[]) {
    const { resolver, allow } = this.options;
    let hasOthers = false;
    for (const host of hosts.slice(0, HOSTS_MAX)) {
      const outcomes = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
      const all = outcomes.map((outcome) => (outcome.kind === 'answer' ? outcome.records : []));
      const addresses = all.flatMap((records, index) =>
        records
          .filter((address) => judgeAddress(address, allow) === null)
          .map((address): Address => ({ address, family: index === 0 ? 4 : 6 })),
      );
      if (addresses.length > 0) return { kind: 'found' as const, addresses };
      hasOthers ||= all.flat().length > 0;
    }
    return { kind: hasOthers ? ('none' as const) : ('unknown' as const) };
  }

  private hasSession(domain: string): boolean {
    const nowUs = this.options.clock.nowUs();
    return this.sessions.look(domain, DOMAIN_SESSIONS_MAX, DOMAIN_WINDOW_S, nowUs).remaining > 0;
  }
}

/**
 * Returns the finding of a session. `known` is whether the domain accepts every address; null if this session asked.
 */
function makeFinding(outcome: ProbeOutcome, known: boolean | null): ProbeFinding {
  const replies = known === null ? outcome.replies.slice(1) : outcome.replies;
  const first = known === null ? outcome.replies[0] : undefined;
  const catchAll = first ? isCatchAll(readMeaning(first)) : known;
  const [reply] = replies;
  if (!reply) return { ...makeFailed(explainFailure(outcome)), catch_all: catchAll };
  const meaning = readMeaning(reply);
  const report = { rcpt_code: reply.code, catch_all: catchAll };
  if (meaning === 'temporary' || meaning === 'refused') return { ...makeFailed(meaning), ...report };
  return {
    probe: 'completed',
    ...report,
    reason: catchAll && meaning === 'accepted' ? 'catch_all' : meaning,
    meaning,
  };
}

/** Whether a domain accepts every address, by the reply for a random one; null if that says nothing about mailboxes. */
function isCatchAll(meaning: Meaning): boolean | null {
  if (meaning === 'accepted') return true;
  return meaning === 'mailbox_not_found' ? false : null;
}

function explainFailure(outcome: ProbeOutcome): string {
  if (outcome.kind === 'asked') return 'not_smtp';
  const { why, at, reply } = outcome;
  if (why === 'aborted') return 'deadline';
  if (why === 'no_smtputf8') return NO_UTF8;
  if (why === 'timeout' || why === 'not_smtp') return why;
  if (at === 'connect') return 'connection_failed';
  if (why === 'closed') return 'connection_lost';
  return reply && reply.code < 500 ? 'temporary' : 'refused';
}

function makeSkipped(reason: string): ProbeFinding {
  return { probe: 'skipped', rcpt_code: null, catch_all: null, reason, meaning: null };
}

function makeFailed(reason: string): ProbeFinding {
  return { probe: 'failed', rcpt_code: null, catch_all: null, reason, meaning: null };
}

/** For a domain that is known to accept every address. */
const knownCatchAll: ProbeFinding = { ...makeSkipped('catch_all'), catch_all: true, meaning: 'accepted' };
/** For an address without a server to ask, or whose verdict no answer could change. */
export const notAsked: ProbeFinding = makeSkipped('not_needed');
/** For a probe whose time was over before it began. */
export const tooLate: ProbeFinding = makeSkipped('deadline');
/** For a probe whose time was over before the server answered. */
export const cutShort: ProbeFinding = makeFailed('deadline');
