import type { Cancel } from '../../platform/core/clock.ts';
import { nextTurn, OncePerTurn } from '../../platform/core/next-turn.ts';
import { mxHost } from '../../platform/core/settings.ts';
import { type Authentication, makeTempError, readFromVerdict } from '../../platform/mail/authentication.ts';
import { findWholeMail } from '../../platform/mail/stored-mail.ts';
import { readSystemServers } from '../../platform/net/dns.ts';
import { warnUnconfined } from '../../platform/process/unconfined.ts';
import { WatchedProcess } from '../../platform/process/watched-process.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { announceAccepted } from '../ingest/accept/accept.ts';
import { recordAuthenticationOp } from '../ingest/accept/writes.ts';
import { readRawPiece } from '../messages/sql.ts';
import { checkerProtocol } from './answers.ts';
import type { CheckerMessage, CheckerResult } from './protocol.ts';
import { countQueuedChecks, type DueMail, findDueMail, listDueMails } from './sql.ts';

/*
 * Checks who sent a mail after it was acknowledged and announced, so that neither the 250 nor a waiting client ever
 * waits for a stranger's DNS. Due checks are rows, written with the mail; memory holds only AT_ONCE mails at a time.
 * The work runs in a process that is killed if a mail hangs it (platform/process/watched-process.ts). How failures are
 * contained:
 * - A crash or a stop leaves the rows unchanged, and the next start checks them.
 * - If the process is killed, each mail that it held is retried alone. A second kill settles that mail with `temperror`
 *   and affects no other.
 * - A verdict that could not be stored stays due and is retried after RETRY_MS. So is a mail that could not be read, or
 *   for which no process could be started.
 */

/** Mails checked at the same time. Most of them are waiting for the DNS. */
const AT_ONCE = 32;
const NOT_CHECKED = 'a sender could not be checked; retrying later';
const UNCONFINED = 'the process that checks senders is not confined';
const RETRY_MS = 10_000;
const IDLE_MS = 20_000;

interface Task {
  raw_no: number;
  beganMs: number;
  isLarge: boolean;
  alone: boolean;
}

export class Checker {
  private readonly inProgress = new Map<number, Task>();
  /** Row numbers of mails to retry alone. */
  private suspects: number[] = [];
  /** Mails to retry later. */
  private readonly deferred = new Set<number>();
  private process: WatchedProcess<CheckerMessage, CheckerResult> | null = null;
  private state: 'idle' | 'running' | 'stopped' = 'idle';
  /** Delays the work until the clients that were just woken have their answers. */
  private readonly nextTurn = new OncePerTurn(() => {
    if (this.state === 'running') this.assignDue();
  });
  private stopListening: Cancel = () => {};
  private retryTimer: Timer | undefined;
  private idleTimer: Timer | undefined;

  constructor(
    private readonly services: PlatformServices,
    private readonly command: readonly string[],
  ) {}

  /** Starts, with the checks that are due already. */
  start(): void {
    this.state = 'running';
    this.services.meters.gauge('authentication_queue', () => countQueuedChecks(this.services.store));
    const { arrivals, withheld } = this.services;
    const cancels = [arrivals, withheld].map((source) =>
      source.listen(({ isChecked }: { isChecked: boolean }) => isChecked && this.wake()),
    );
    this.stopListening = () => {
      for (const cancel of cancels) cancel();
    };
    this.wake();
  }

  stop(): void {
    this.state = 'stopped';
    this.stopListening();
    clearTimeout(this.retryTimer);
    this.endProcess();
  }

  get pids(): number[] {
    return this.process ? [this.process.pid] : [];
  }

  private wake(): void {
    if (this.state === 'running') this.nextTurn.ask();
  }

  private assignDue(): void {
    if (this.suspects.length > 0) {
      if (this.inProgress.size > 0) return;
      const rawNo = this.suspects.shift()!;
      void this.check(rawNo, true);
      return;
    }
    const free = AT_ONCE - this.inProgress.size;
    if (free <= 0 || this.isRetryingAlone()) return;
    const due = listDueMails(this.services.store, AT_ONCE).filter((rawNo) => !this.inProgress.has(rawNo));
    for (const rawNo of due.slice(0, free)) void this.check(rawNo, false);
  }

  private isRetryingAlone(): boolean {
    return [...this.inProgress.values()].some(({ alone }) => alone);
  }

  private async check(rawNo: number, alone: boolean): Promise<void> {
    try {
      await this.assign(rawNo, alone);
    } catch (fault) {
      this.retryLater(rawNo, NOT_CHECKED, fault);
    }
  }

  private async assign(rawNo: number, alone: boolean): Promise<void> {
    const { store } = this.services;
    const mail = findDueMail(store, rawNo);
    if (!mail) return this.wake();
    const whole = findWholeMail(mail);
    const isLarge = whole === null;
    // One large mail at a time: its pieces stay in memory until it is checked.
    if (isLarge && [...this.inProgress.values()].some((task) => task.isLarge)) return;
    this.inProgress.set(rawNo, { raw_no: rawNo, beganMs: performance.now(), isLarge, alone });
    clearTimeout(this.idleTimer);
    const process = this.startProcess();
    for (let part = 0; ; part++) {
      const frame = whole?.frame ?? readRawPiece(store, rawNo, part);
      if (!frame) break;
      const { content_size, size } = mail;
      process.assign([{ id: rawNo, piece: { frame, content_size, size } }], 0);
      if (whole) break;
      await nextTurn();
      // The process was killed in the meantime because of another mail, and this one is retried.
      if (this.process !== process || this.state !== 'running') return;
    }
    process.assign([this.describeMail(mail)]);
  }

  private describeMail({ raw_no, envelope_from, helo, client_address }: DueMail): CheckerMessage {
    const { settings } = this.services;
    const dnsServers = settings.dns_servers ?? readSystemServers();
    return {
      id: raw_no,
      client_address,
      helo,
      envelope_from,
      mx_host: mxHost(settings),
      dns_servers: dnsServers,
    };
  }

  private startProcess() {
    if (this.process) return this.process;
    const process = new WatchedProcess<CheckerMessage, CheckerResult>(this.command, checkerProtocol, {
      onResults: (results) => {
        for (const { id, authentication } of results) void this.finish(id, authentication);
      },
      onEnd: (reason, hasBegun) => this.handleEnd(process, reason, hasBegun),
      onUnconfined: (reason) => warnUnconfined(this.services.log, UNCONFINED, reason),
    });
    this.process = process;
    return process;
  }

  private async finish(rawNo: number, authentication: Authentication): Promise<void> {
    const task = this.inProgress.get(rawNo);
    if (!task) return;
    this.recordMetrics(authentication, task);
    try {
      const { proven, accepted } = await this.services.store.write(recordAuthenticationOp, {
        raw_no: rawNo,
        verdicts: JSON.stringify(authentication),
        from: readFromVerdict(authentication),
      });
      for (const message of proven) this.services.proven.announce(message);
      for (const message of accepted) announceAccepted(this.services, message);
    } catch (fault) {
      this.retryLater(rawNo, 'verdicts on a sender could not be stored; retrying later', fault);
      return;
    }
    this.inProgress.delete(rawNo);
    this.wake();
    if (this.inProgress.size === 0) this.awaitIdle();
  }

  private retryLater(rawNo: number, message: string, fault: unknown): void {
    if (this.state === 'stopped') return;
    this.services.log.rarely('warn', message, { fault: String(fault) });
    this.deferred.add(rawNo);
    this.retryTimer ??= setTimeout(() => this.retryDeferred(), RETRY_MS);
  }

  private retryDeferred(): void {
    this.retryTimer = undefined;
    for (const rawNo of this.deferred) this.inProgress.delete(rawNo);
    this.deferred.clear();
    this.wake();
  }

  private handleEnd(
    process: WatchedProcess<CheckerMessage, CheckerResult>,
    reason: string,
    hasBegun: boolean,
  ): void {
    if (this.process === process) this.process = null;
    if (this.state !== 'running') return;
    this.services.log.warn('the process that checks senders was ended; each of its mails is retried alone', {
      reason,
      mails: this.inProgress.size,
    });
    for (const { raw_no, alone } of [...this.inProgress.values()]) {
      if (!hasBegun) {
        this.retryLater(raw_no, NOT_CHECKED, reason);
        continue;
      }
      if (alone) {
        void this.finish(raw_no, makeTempError(`the check was ended: ${reason}`));
        continue;
      }
      this.inProgress.delete(raw_no);
      this.suspects.push(raw_no);
    }
    this.wake();
  }

  private recordMetrics({ spf, dkim, dmarc }: Authentication, { beganMs }: Task): void {
    const { meters } = this.services;
    meters.observe('authentication_seconds', (performance.now() - beganMs) / 1000);
    meters.count('authentication_checks_total', { method: 'spf', result: spf.result });
    const signed = dkim.find(({ result }) => result === 'pass') ?? dkim[0];
    meters.count('authentication_checks_total', { method: 'dkim', result: signed?.result ?? 'none' });
    meters.count('authentication_checks_total', { method: 'dmarc', result: dmarc.result });
  }

  private awaitIdle(): void {
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => this.inProgress.size === 0 && this.endProcess(), IDLE_MS);
    this.idleTimer.unref();
  }

  private endProcess(): void {
    clearTimeout(this.idleTimer);
    this.process?.stop();
    this.process = null;
  }
}
