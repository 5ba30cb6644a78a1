import { mxHost } from '../../platform/core/settings.ts';
import { cachedResolver, type MailResolver } from '../../platform/net/dns-cache.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MeterServices } from '../accounts/usage/meter.ts';
import { type FirstLook, lookFirst, settleOutOfTime, withMailHost, withProbe } from './judge.ts';
import { findMailHost, type MailHost } from './mail-host.ts';
import { OwnList } from './own-list.ts';
import { cutShort, notAsked, Prober, tooLate } from './probe.ts';
import type { Mode, Verification } from './verdict.ts';

export interface InquiryOptions {
  mode: Mode;
  /** Id of the account that asks. */
  asker: string;
  /** The reason for addresses that ran out of time. */
  late: 'dns_error' | 'batch_budget_exhausted';
}

/** Addresses that are verified together, with one deadline and each domain looked up once. */
export interface Inquiry extends InquiryOptions {
  /** Aborts all look-ups and probes. The verdicts then contain what was known. */
  signal: AbortSignal;
  hosts: Map<string, Promise<MailHost>>;
  /** Whether its time is over. Reads the clock, because a timer may fire late. */
  isOver(): boolean;
}

/** Returned for a step that the deadline cut off. */
const cutOff = Symbol('cut off');

export interface VerificationServices extends MeterServices {
  readonly verifier: Verifier;
}

/** Verifies addresses one by one; batch.ts runs many. One per server. */
export class Verifier {
  private readonly resolver: MailResolver;
  private readonly own: OwnList;
  private readonly prober: Prober;
  private readonly stopping = new AbortController();

  /** Throws when the operator's list can't be read. */
  constructor(private readonly services: PlatformServices) {
    const { settings, clock, log, outside } = services;
    this.resolver = cachedResolver(outside.resolver, clock);
    this.own = new OwnList(settings.disposable_file, clock, log);
    this.prober = new Prober({
      clock,
      resolver: this.resolver,
      port: settings.probe_port,
      allow: settings.probe_allow_networks ?? [],
      helo: mxHost(settings),
    });
  }

  /** Begins an inquiry. It ends at its deadline, on a disconnect and at a stop of the server. Always call `end`. */
  begin(options: InquiryOptions, withinMs: number, hungUp: AbortSignal): Inquiry & { end: () => void } {
    const late = new AbortController();
    const end = () => {
      cancel();
      for (const signal of others) signal.removeEventListener('abort', onEnd);
    };
    const onEnd = () => {
      end();
      late.abort();
    };
    const others = [hungUp, this.stopping.signal];
    const { clock } = this.services;
    const endsMs = clock.elapsedMs() + withinMs;
    const cancel = clock.after(withinMs, onEnd);
    for (const signal of others) signal.addEventListener('abort', onEnd);
    if (others.some(({ aborted }) => aborted)) onEnd();
    const { signal } = late;
    const isOver = () => signal.aborted || clock.elapsedMs() >= endsMs;
    return { ...options, signal, hosts: new Map(), isOver, end };
  }

  /** What an address alone reveals. */
  look(email: string): FirstLook {
    return lookFirst(email, this.own.current());
  }

  /** Continues from the first look as deep as the mode says. Never rejects because of other servers. */
  async goOn(look: FirstLook, inquiry: Inquiry): Promise<Verification> {
    const { mode, asker, signal, hosts } = inquiry;
    const { mailbox, verdict } = look;
    const isFull = mode === 'full';
    if (!mailbox) return isFull ? withProbe(verdict, notAsked) : verdict;
    const { domain } = mailbox;
    const asked = hosts.get(domain) ?? findMailHost(this.resolver, domain);
    hosts.set(domain, asked);
    const host = await raceCutOff(asked, signal);
    if (host === cutOff) return this.giveUp(look, inquiry);
    const safe = withMailHost(look, host, this.own.current());
    if (!isFull) return safe;
    if (host.kind === 'none' || host.kind === 'unknown') return withProbe(safe, notAsked);
    const query = { mailbox, hosts: host.kind === 'mx' ? host.exchanges : [domain], asker };
    const finding = await raceCutOff(this.prober.probe(query, signal), signal);
    return withProbe(safe, finding === cutOff ? cutShort : finding);
  }

  /** For an address that was not checked in time. */
  giveUp(look: FirstLook, { mode, late }: InquiryOptions): Verification {
    const verdict = settleOutOfTime(look, late);
    return mode === 'full' ? withProbe(verdict, look.mailbox ? tooLate : notAsked) : verdict;
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
