import type { LimitName, LimitRule } from '../../rules/limits.ts';
import { countSecondsUntil, SECOND_US } from '../core/clock.ts';
import { Failure } from '../core/failure.ts';
import { type Bucket, Windows } from '../core/window.ts';
import type { PlatformServices } from '../services.ts';
import type { Client, Principal } from './route.ts';

/** The subjects of a request, which determine its buckets. */
export interface Drawer {
  caller: Principal | null;
  /** The account of the caller's key, or of the dashboard visitor. */
  accountId: string | undefined;
  client: Pick<Client, 'ip'>;
  /** The inbox or domain that the request names, if the route has a limit per inbox or domain. */
  limitedSubject: string | undefined;
}

const isTighter = (one: Bucket, other: Bucket) =>
  one.remaining < other.remaining || (one.remaining === other.remaining && one.resetS > other.resetS);

/** HTTP rate limits: decides which buckets a request draws from, and which one its headers report. */
export class Limiter {
  private readonly windows = new Windows();
  /** Separate, so that a flood from very many addresses does not push out the counts of keys, accounts and the service. */
  private readonly ofAddresses = new Windows();

  constructor(private readonly services: PlatformServices) {}

  /** Returns the bucket with the fewest left; of several, the one that starts over last, as Retry-After does. Takes nothing. */
  look(names: readonly LimitName[], drawer: Drawer, nowUs: number): Bucket | null {
    let fewest: Bucket | null = null;
    for (const name of names) {
      const bucket = this.bucket(name, drawer, nowUs);
      if (!fewest || isTighter(bucket, fewest)) fewest = bucket;
    }
    return fewest;
  }

  /** Takes one from each bucket. If any is empty, including a budget, it takes nothing and throws 429. */
  admit(names: readonly LimitName[], budgets: readonly LimitName[], drawer: Drawer, nowUs: number): void {
    if (!this.services.settings.limits) return;
    this.refuseWithout(1, [...names, ...budgets], drawer, nowUs);
    this.take(1, names, drawer, nowUs);
  }

  /** Takes the whole amount from each budget, or throws 429 and takes nothing. */
  charge(budgets: readonly LimitName[], amount: number, drawer: Drawer, nowUs: number): void {
    if (!this.services.settings.limits) return;
    this.refuseWithout(amount, budgets, drawer, nowUs);
    this.take(amount, budgets, drawer, nowUs);
  }

  private refuseWithout(amount: number, names: readonly LimitName[], drawer: Drawer, nowUs: number): void {
    let refusal: Failure | null = null;
    for (const name of names) {
      const bucket = this.bucket(name, drawer, nowUs);
      if (bucket.remaining >= amount) continue;
      const retryAfterS = countSecondsUntil(bucket.resetS * SECOND_US, nowUs);
      if (refusal && refusal.retryAfterS! >= retryAfterS) continue;
      refusal = new Failure(this.services.limits[name].code, { retryAfterS });
    }
    if (refusal) throw refusal;
  }

  private take(amount: number, names: readonly LimitName[], drawer: Drawer, nowUs: number): void {
    for (const name of names) {
      const { windowS, per } = this.services.limits[name];
      this.findWindows(per).take(this.nameWindow(name, drawer), windowS, nowUs, amount);
    }
  }

  private bucket(name: LimitName, drawer: Drawer, nowUs: number): Bucket {
    const { max, windowS, per } = this.services.limits[name];
    return this.findWindows(per).look(this.nameWindow(name, drawer), max, windowS, nowUs);
  }

  private findWindows(per: LimitRule['per']): Windows {
    return per === 'ip' ? this.ofAddresses : this.windows;
  }

  private nameWindow(name: LimitName, { caller, accountId, client, limitedSubject }: Drawer): string {
    const subjects = {
      // In capture mode, all requests without a key count as one key.
      key: caller?.kind === 'key' ? caller.key_id : caller?.kind === 'capture' ? caller.kind : undefined,
      account: accountId,
      ip: client.ip,
      service: '',
      // Counted per account: someone who guesses another account's inbox id must not use up its limit.
      inbox: limitedSubject && `${accountId} ${limitedSubject}`,
      domain: limitedSubject && `${accountId} ${limitedSubject}`,
      // Known only after the body has been read.
      person: undefined,
    };
    const { per } = this.services.limits[name];
    const subject = subjects[per];
    if (subject === undefined)
      throw new Error(`limit ${name} can't be drawn from here: the ${per} is not known`);
    return `${name} ${subject}`;
  }
}
