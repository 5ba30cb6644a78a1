/**
 * Obtains a certificate from an ACME CA, and renews it when two thirds of its life are over.
 * - An attempt is recorded before the CA is asked. If that fails (full disk), the CA is not asked. So a server in a
 *   crash loop asks no more often than one that keeps running (platform/net/acme/pace.ts).
 * - The order and the new key are on disk before the CA issues. After a crash, the same order is continued.
 * - The current certificate stays in use until a new one is complete, checked and on disk.
 */
import { type Cancel, isoTime, SECOND_US } from '../../platform/core/clock.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { ChallengeDoor } from '../../platform/net/acme/challenge-door.ts';
import { AccountDeactivated, AcmeClient, AcmeFault } from '../../platform/net/acme/client.ts';
import { obtainCertificate } from '../../platform/net/acme/order.ts';
import {
  type AcmeAttempt,
  clampToNow,
  findNextAttemptAt,
  type History,
} from '../../platform/net/acme/pace.ts';
import { AcmeShelf } from '../../platform/net/acme/shelf.ts';
import {
  type Certificate,
  findPairFault,
  readCertificateFacts,
} from '../../platform/net/certificate-pair.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { acme as rules } from '../../rules/acme.ts';
import { adviseOn } from './advice.ts';
import { findHttpsOrigin, listCertificateNames } from './names.ts';
import { type Precheck, precheckNames } from './precheck.ts';
import { type CertificateStatus, readCertificateStatus } from './status.ts';

export class CertificateRenewal {
  private readonly shelf: AcmeShelf;
  private readonly door: ChallengeDoor;
  private readonly names: readonly string[];
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private cancel: Cancel = () => {};
  /** Attempts in a row that ended before the CA was asked. */
  private blocks = 0;
  /** No attempt before this time of the monotonic clock. */
  private pausedUntilMs = Number.NEGATIVE_INFINITY;
  private isRequested = false;

  /** @param onIssued puts the new certificate into use */
  constructor(
    private readonly services: PlatformServices,
    private readonly onIssued: () => Promise<void>,
  ) {
    const { settings, clock, dataDir } = services;
    this.shelf = new AcmeShelf(dataDir);
    this.names = listCertificateNames(settings);
    const redirectTo = findHttpsOrigin(settings);
    const baseHost = settings.base_url === null ? [] : [new URL(settings.base_url).hostname];
    const names = [...this.names, ...baseHost];
    this.door = new ChallengeDoor({ listen: settings.acme_http_listen, names, redirectTo, clock });
  }

  /** The port for challenges; null while it can't be opened. */
  get port(): number | null {
    return this.door.port;
  }

  async start(): Promise<void> {
    // The server starts even if another program has the port for challenges: mail must not wait for it.
    await this.door.open().catch((fault: unknown) => this.services.log.error(this.describePort(fault)));
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.cancel();
    await this.running;
    await this.door.close();
  }

  /** Starts the next attempt as soon as the bounds allow: an operator has changed something (SIGHUP). */
  attemptNow(): void {
    this.isRequested = true;
    this.pausedUntilMs = Number.NEGATIVE_INFINITY;
    if (this.running === null) this.schedule();
  }

  /** Starts an attempt if one is due, or else sets the timer. */
  private schedule(): void {
    this.cancel();
    if (this.stopping.signal.aborted) return;
    const { clock } = this.services;
    const wait = (ms: number) => {
      this.isRequested = false;
      this.cancel = clock.after(Math.min(ms, rules.timerMaxS * 1000), () => this.schedule());
    };
    let history: History;
    let status: CertificateStatus;
    try {
      history = this.readHistory();
      status = this.readStatus(history);
    } catch (fault) {
      this.services.log.error('the state of the certificate can’t be read', { reason: String(fault) });
      wait(rules.timerMaxS * 1000);
      return;
    }
    const dueAt = findNextAttemptAt(history, status.want, this.isRequested);
    const pauseMs = this.pausedUntilMs - clock.elapsedMs();
    const waitMs = Math.max((dueAt - clock.nowUs()) / 1000, pauseMs);
    if (waitMs > 0) {
      wait(waitMs);
      return;
    }
    this.isRequested = false;
    this.running = this.attempt(history, status).finally(() => {
      this.running = null;
      this.schedule();
    });
  }

  /** Never rejects. */
  private async attempt(history: History, status: CertificateStatus): Promise<void> {
    const { log } = this.services;
    try {
      const found = await this.precheck(history);
      if (found.kind !== 'fine') return this.block(history, found);
    } catch (fault) {
      return this.block(history, { kind: 'lost', reason: readReason(fault) });
    }
    this.blocks = 0;
    history.blocked = null;
    const attempt = this.makeAttempt();
    history.attempts = [...history.attempts, attempt].slice(-rules.attemptsKept);
    try {
      this.shelf.keepHistory(history);
    } catch (fault) {
      this.pause(rules.retryAfterS[0]);
      this.services.meters.count('acme_failures_total');
      log.error('the CA is not asked for a certificate, because the attempt can’t be recorded first', {
        reason: readReason(fault),
        todo: adviseOn(fault, this.names),
      });
      return;
    }
    await this.ask(history, attempt, status);
  }

  private async ask(history: History, attempt: AcmeAttempt, status: CertificateStatus): Promise<void> {
    const { log, meters, clock } = this.services;
    try {
      const certificate = await this.obtain(status);
      this.shelf.placeCertificate(certificate, attempt.directory);
      Object.assign(attempt, { outcome: 'issued', reason: null });
      const { issuer, endsAtUs } = readCertificateFacts(certificate.cert);
      log.info('certificate obtained', { names: this.names.join(' '), issuer, ends: isoTime(endsAtUs) });
      await this.onIssued();
    } catch (fault) {
      const waitS = fault instanceof AcmeFault ? fault.waitS : 0;
      if (attempt.outcome !== 'issued')
        Object.assign(attempt, { outcome: 'failed', reason: readReason(fault), waitS });
      meters.count('acme_failures_total');
    }
    this.recordResult(history, attempt);
    if (attempt.outcome === 'issued' || this.stopping.signal.aborted) return;
    const next = Math.max(this.readStatus(history).nextTryAt, clock.nowUs());
    log.error('no new certificate; the one in use stays', {
      reason: attempt.reason,
      todo: adviseOn(attempt.reason, this.names),
      next_try: isoTime(next),
    });
  }

  /** Records the result. A failure to do so is not fatal: the certificate is already in place. */
  private recordResult(history: History, { outcome }: AcmeAttempt): void {
    try {
      this.shelf.keepHistory(history);
      if (outcome === 'issued') this.shelf.keepOrder(null);
    } catch (fault) {
      this.services.log.warn('the result of an attempt to get a certificate can’t be recorded', {
        reason: readReason(fault),
      });
      this.pause(rules.retryAfterS[0]);
    }
  }

  private async obtain({ certificate: inUse }: CertificateStatus): Promise<Certificate> {
    const { settings, clock, outside } = this.services;
    const { acme_directory: directory } = settings;
    const ended = new AbortController();
    const cancel = clock.after(rules.attemptS * 1000, () => ended.abort());
    const signal = AbortSignal.any([this.stopping.signal, ended.signal]);
    try {
      const account = this.shelf.openAccount(directory);
      const { resolver, extraCa } = outside;
      const client = new AcmeClient(directory, account, { resolver, clock, extraCa, signal });
      await this.signIn(client);
      const certificate = await obtainCertificate({
        client,
        account,
        names: this.names,
        directory,
        clock,
        signal,
        kept: this.findKeptOrder(inUse),
        keep: (order) => this.shelf.keepOrder(order),
        answer: (name, token, text) => this.door.answer(name, token, text),
      });
      this.refuseUnusable(certificate);
      return certificate;
    } finally {
      cancel();
    }
  }

  /** Signs in. If the account was deactivated, drops its key, so that the next attempt registers another account. */
  private async signIn(client: AcmeClient): Promise<void> {
    const { acme_directory: directory, acme_email: email } = this.services.settings;
    try {
      await client.signIn(email);
    } catch (fault) {
      if (fault instanceof AccountDeactivated) this.shelf.dropAccount(directory);
      throw fault;
    }
  }

  /** Returns an order for these names that can be continued. One whose certificate is in use is over. */
  private findKeptOrder(inUse: Certificate | null) {
    const { settings, clock } = this.services;
    const kept = this.shelf.readOrder();
    if (kept === null || kept.directory !== settings.acme_directory) return null;
    const ageUs = clock.nowUs() - kept.at;
    const isFresh = ageUs >= 0 && ageUs < rules.orderKeptS * SECOND_US;
    const isSame = kept.names.join() === this.names.join();
    return isFresh && isSame && kept.key.trim() !== inUse?.key.trim() ? kept : null;
  }

  /** Throws unless the certificate is usable. A CA can make mistakes, and the old certificate still works. */
  private refuseUnusable(certificate: Certificate): void {
    const reason = this.findFlaw(certificate);
    if (reason === null) return;
    this.shelf.keepOrder(null);
    throw new AcmeFault(`the CA sent an unusable certificate: ${reason}`);
  }

  private findFlaw(certificate: Certificate): string | null {
    const fault = findPairFault(certificate, 'the certificate', 'the key of the order');
    if (fault !== null) return fault;
    const { covers, startsAtUs, endsAtUs } = readCertificateFacts(certificate.cert);
    const missing = this.names.filter((name) => !covers(name));
    if (missing.length > 0) return `it is not for ${missing.join(', ')}`;
    const nowUs = this.services.clock.nowUs();
    const clock = 'by the clock of this machine, which may be wrong';
    if (startsAtUs > nowUs + rules.earlyMaxS * SECOND_US)
      return `it is not valid until ${isoTime(startsAtUs)} ${clock}`;
    if (endsAtUs > nowUs + rules.leftMinS * SECOND_US) return null;
    return endsAtUs > nowUs
      ? `it already expires on ${isoTime(endsAtUs)} ${clock}`
      : `it expired on ${isoTime(endsAtUs)} ${clock}`;
  }

  private async precheck(history: History): Promise<Precheck> {
    try {
      await this.door.open();
    } catch (fault) {
      return { kind: 'lost', reason: this.describePort(fault) };
    }
    const { resolver, extraCa } = this.services.outside;
    const { signal } = this.stopping;
    const found = await precheckNames({ names: this.names, resolver, extraCa, signal, door: this.door });
    return found.kind === 'elsewhere' && this.mayAskAnyway(history) ? { kind: 'fine' } : found;
  }

  private mayAskAnyway({ attempts, blocked }: History): boolean {
    const nowUs = this.services.clock.nowUs();
    if (!blocked?.isElsewhere || nowUs - blocked.since < rules.elsewhereAskAfterS * SECOND_US) return false;
    const last = attempts.at(-1);
    return !last || nowUs - last.at > rules.elsewhereAskEveryS * SECOND_US;
  }

  /** Records why the CA is not asked, and checks the names again soon. */
  private block(history: History, { kind, reason }: Exclude<Precheck, { kind: 'fine' }>): void {
    const { log, meters, clock } = this.services;
    if (this.stopping.signal.aborted) return;
    const delayS = rules.precheckAfterS[this.blocks] ?? rules.precheckAfterS.at(-1)!;
    this.blocks += 1;
    this.pause(delayS);
    meters.count('acme_failures_total');
    const nowUs = clock.nowUs();
    const isElsewhere = kind === 'elsewhere';
    const before = history.blocked;
    const since = before?.isElsewhere === isElsewhere ? before.since : nowUs;
    const nextAt = nowUs + delayS * SECOND_US;
    history.blocked = { reason, at: nowUs, since, nextAt, isElsewhere };
    const line = 'the CA is not asked for a certificate yet';
    log[before?.reason === reason ? 'debug' : 'error'](line, { reason, next_try: isoTime(nextAt) });
    try {
      this.shelf.keepHistory(history);
    } catch (fault) {
      log.debug('the state of the certificate can’t be written', { reason: readReason(fault) });
    }
  }

  private pause(delayS: number): void {
    this.pausedUntilMs = this.services.clock.elapsedMs() + delayS * 1000;
  }

  private makeAttempt(): AcmeAttempt {
    const { settings, clock } = this.services;
    return {
      at: clock.nowUs(),
      directory: settings.acme_directory,
      names: this.names,
      outcome: 'open',
      reason: null,
      waitS: 0,
    };
  }

  private readHistory(): History {
    const nowUs = this.services.clock.nowUs();
    this.shelf.repairHistory(nowUs);
    const history = this.shelf.readHistory(nowUs);
    if (clampToNow(history, nowUs)) this.shelf.keepHistory(history);
    return history;
  }

  private readStatus(history: History): CertificateStatus {
    const { settings, dataDir, clock } = this.services;
    return readCertificateStatus(settings, dataDir, clock.nowUs(), history);
  }

  private describePort(fault: unknown): string {
    const { host, port } = this.services.settings.acme_http_listen;
    return `${host}:${port} (POSTERN_ACME_HTTP_LISTEN) can't be opened for the challenges of the CA: ${readReason(fault)}`;
  }
}
