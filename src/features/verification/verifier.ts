import { mxHost } from '../../platform/core/settings.ts';
import { type MailResolver, makeCachedResolver } from '../../platform/net/dns-cache.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MeterServices } from '../accounts/usage/meter.ts';
import { checkOffline, judgeOutOfTime, type OfflineCheck, withMailHost, withProbe } from './judge.ts';
import { findMailHost, type MailHost } from './mail-host.ts';
import { OwnList } from './own-list.ts';
import { cutShort, notAsked, Prober, tooLate } from './probe.ts';
import type { Mode, Verification } from './verdict.ts';

export interface InquiryOptions {
  mode: Mode;
  /** The account that asks. */
  accountId: string;
  /** The reason for addresses that ran out of time. */
  lateReason: 'dns_error' | 'batch_budget_exhausted';
}

/** Addresses that are verified together: they share a deadline, and each domain is looked up once. */
export interface Inquiry extends InquiryOptions {
  /** Aborts all look-ups and probes. The verdicts then have what is known. */
  signal: AbortSignal;
  /** Where mail goes, by domain. */
  hosts: Map<string, Promise<MailHost>>;
  /** Whether the inquiry has ended. Reads the clock, because a timer may fire late. */
  isOver(): boolean;
}

/** The result of a step that the deadline cut off. */
const cutOff = Symbol('cut off');

export interface VerificationServices extends MeterServices {
  readonly verifier: Verifier;
}

/** Verifies addresses one by one (batch.ts runs many). A server has one. */
export class Verifier {
  private readonly resolver: MailResolver;
  private readonly own: OwnList;
  private readonly prober: Prober;
  private readonly stopping = new AbortController();

  /** Throws if the operator's list can't be read. */
  constructor(private readonly services: PlatformServices) {
    const { settings, clock, log, outside } = services;
    this.resolver = makeCachedResolver(outside.resolver, clock);
    this.own = new OwnList(settings.disposable_file, clock, log);
    this.prober = new Prober({
      clock,
      resolver: this.resolver,
      port: settings.probe_port,
      allow: settings.probe_allow_networks ?? [],
      helo: mxHost(settings),
    });
  }

  /**
   * Begins an inquiry. It ends at its deadline, when the client hangs up, and when the server stops. Always call `end`.
   */
  begin(options: InquiryOptions, withinMs: number, hungUp: AbortSignal): Inquiry & { end: () => void } {
    const ended = new AbortController();
    const end = () => {
      cancel();
      for (const signal of others) signal.removeEventListener('abort', onEnd);
    };
    const onEnd = () => {
      end();
      ended.abort();
    };
    const others = [hungUp, this.stopping.signal];
    const { clock } = this.services;
    const endsMs = clock.elapsedMs() + withinMs;
    const cancel = clock.after(withinMs, onEnd);
    for (const signal of others) signal.addEventListener('abort', onEnd);
    if (others.some(({ aborted }) => aborted)) onEnd();
    const { signal } = ended;
    const isOver = () => signal.aborted || clock.elapsedMs() >= endsMs;
    return { ...options, signal, hosts: new Map(), isOver, end };
  }

  /** Returns what is known about an address without asking anyone. */
  checkOffline(email: string): OfflineCheck {
    return checkOffline(email, this.own.readCurrent());
  }

  /** Completes a verification, as deep as the mode asks for. Never rejects because of other servers. */
  async complete(offline: OfflineCheck, inquiry: Inquiry): Promise<Verification> {
    const { mode, accountId, signal, hosts } = inquiry;
    const { mailbox, verdict } = offline;
    const isFull = mode === 'full';
    if (!mailbox) return isFull ? withProbe(verdict, notAsked) : verdict;
    const { domain } = mailbox;
    const asked = hosts.get(domain) ?? findMailHost(this.resolver, domain);
    hosts.set(domain, asked);
    const host = await raceCutOff(asked, signal);
    if (host === cutOff) return this.giveUp(offline, inquiry);
    const safe = withMailHost(offline, host, this.own.readCurrent());
    if (!isFull) return safe;
    if (host.kind === 'none' || host.kind === 'unknown') return withProbe(safe, notAsked);
    const query = { mailbox, hosts: host.kind === 'mx' ? host.exchanges : [domain], accountId };
    const finding = await raceCutOff(this.prober.probe(query, signal), signal);
    return withProbe(safe, finding === cutOff ? cutShort : finding);
  }

  /** Returns the result for an address that was not checked in time. */
  giveUp(offline: OfflineCheck, { mode, lateReason: late }: InquiryOptions): Verification {
    const verdict = judgeOutOfTime(offline, late);
    return mode === 'full' ? withProbe(verdict, offline.mailbox ? tooLate : notAsked) : verdict;
  }

  /** Ends every inquiry. */
  stop(): void {
    this.stopping.abort();
  }
}

function raceCutOff<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | typeof cutOff> {
  if (signal.aborted) return Promise.resolve(cutOff);
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(cutOff);
    signal.addEventListener('abort', onAbort);
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
