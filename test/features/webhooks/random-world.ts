/**
 * A server with webhooks to which random things happen, and what it promises of their deliveries (docs/webhooks.md,
 * docs/decisions.md). Time is a fake clock's; the receiver, the store and the sockets are real.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { listEventsAfter } from '../../../src/features/events/sql.ts';
import { findInbox } from '../../../src/features/inboxes/find.ts';
import type { Inbox } from '../../../src/features/inboxes/sql.ts';
import { deleteMessageOp } from '../../../src/features/messages/writes.ts';
import {
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  replay,
  setWebhook,
} from '../../../src/features/webhooks/configure.ts';
import { type Delivery, findWebhookByNo, listDeliveries } from '../../../src/features/webhooks/sql.ts';
import { Failure } from '../../../src/platform/core/failure.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { MoodyReceiver } from './random-receiver.ts';
import type { AskedKind, HookStep, Step } from './random-steps.ts';

const HOUR_MS = 3_600_000;
/** Events are kept for 30 days. */
const TIME_MS_MAX = 25 * 24 * HOUR_MS;
const INBOXES = 2;
const ACCOUNT_HOOKS = 2;

/** A webhook, also after it was removed. `name` is the path of its URL. */
interface Hook {
  no: number;
  name: string;
  isLive: boolean;
}

/** What a webhook must get, or may get. */
interface Due {
  hook: Hook;
  /** The kind of the event. */
  kind: AskedKind;
  subject: string;
  /** Rounds of attempts that were requested: the event itself, and each replay. */
  rounds: number;
  /** Whether its webhook was removed, so that it may end as failed. */
  mayEnd: boolean;
}

export class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly due = new Map<string, Due>();
  readonly hooks: Hook[] = [];
  /** In the order of their arrival, with their inbox. */
  readonly messages: { id: string; inbox: number; isDeleted: boolean }[] = [];
  crashes = 0;
  private passedMs = 0;
  private isDiskFull = false;
  private urls = 0;
  /** While the account is suspended: requests until then. */
  private requestsAtSuspension: number | null = null;
  private appliance!: RunningAppliance;
  private holder!: Holder;
  private inboxes: Inbox[] = [];
  private readonly key = randomBytes(32);

  private constructor(
    private readonly dir: string,
    readonly receiver: MoodyReceiver,
  ) {
    this.clock.settled = () => this.settle();
  }

  static async open(): Promise<World> {
    const dir = mkdtempSync(join(tmpdir(), 'postern-random-'));
    const world = new World(dir, await MoodyReceiver.open());
    await world.start();
    world.holder = await world.appliance.holder();
    for (let count = 0; count < INBOXES; count++) {
      const { id } = await world.appliance.inbox(world.holder);
      world.inboxes.push(findInbox(world.services.store, id));
    }
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.receiver.release();
    await this.store();
    await this.appliance[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private get services() {
    return this.appliance.services;
  }

  private async start(): Promise<void> {
    const settings = { webhook_allow_networks: '127.0.0.0/8', limits: 'off' };
    const { clock, key, dir } = this;
    this.appliance = await startAppliance({ clock, key, dataDir: dir, settings });
    const { store } = this.services;
    const write = store.write.bind(store);
    store.write = (operation, input, options) =>
      this.isDiskFull && operation.name === 'webhooks.record'
        ? Promise.reject(new Failure('storage_unavailable'))
        : write(operation, input, options);
  }

  /** Waits, in real time, until nothing more happens unless time passes or a hanging receiver answers. */
  private async settle(): Promise<void> {
    for (let quiet = 0, seen = -1; !this.services.webhooks.isIdle; ) {
      await Bun.sleep(1);
      quiet = this.receiver.requests.length === seen ? quiet + 1 : 0;
      seen = this.receiver.requests.length;
      if (quiet >= (this.receiver.isHanging || this.isDiskFull ? 3 : 20)) return;
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'pass':
        return this.pass(step.ms);
      case 'set clock':
        return this.setClock(step.ms);
      case 'answer':
        return void this.receiver.how.set(this.pick(this.hooks, step.nth)?.name ?? '', step.how);
      case 'create account hook':
        return this.createAccountHook(step.kinds);
      case 'release':
        return this.receiver.release();
      case 'fill disk':
      case 'empty disk':
        this.isDiskFull = step.do === 'fill disk';
        return;
      case 'suspend':
      case 'resume':
        return this.setSuspended(step.do === 'suspend');
      case 'crash':
        return this.crash();
      case 'arrive':
        return this.arrive(step.nth % INBOXES);
      case 'delete message':
        return this.deleteMessage(step.nth);
      case 'set inbox hook':
        return this.setInboxHook(step.nth % INBOXES);
      default:
        return this.changeHook(step.do, step.nth);
    }
  }

  private pick<Item>(items: readonly Item[], nth: number): Item | undefined {
    return items[nth % Math.max(1, items.length)];
  }

  private async pass(ms: number): Promise<void> {
    if (this.passedMs + ms > TIME_MS_MAX) return;
    this.passedMs += ms;
    if (ms < 10_000) await this.clock.advance(ms);
    else await this.clock.leap(ms);
  }

  private setClock(ms: number): void {
    if (this.passedMs + ms > TIME_MS_MAX) return;
    this.passedMs += Math.max(ms, 0);
    this.clock.set(this.clock.nowUs() + ms * 1000);
  }

  private async arrive(inbox: number): Promise<void> {
    const id = await this.appliance.deliver(this.inboxes[inbox]!.address);
    this.messages.push({ id, inbox, isDeleted: false });
    this.expect('email.received', id, inbox);
  }

  private async deleteMessage(nth: number): Promise<void> {
    const message = this.pick(this.messages, nth);
    if (!message || message.isDeleted) return;
    message.isDeleted = true;
    await this.services.store.write(deleteMessageOp, { account_no: this.holder.account.no, id: message.id });
    this.expect('message.deleted', message.id, message.inbox);
  }

  /** Records an event: each webhook that is on and asks for it must get it. */
  private expect(kind: AskedKind, subject: string, inbox: number): void {
    for (const hook of this.hooks) {
      // One that is on now was on a moment ago: only a step turns one on.
      const row = findWebhookByNo(this.services.store, hook.no);
      if (!row?.is_enabled || !(JSON.parse(row.events) as string[]).includes(kind)) continue;
      if (row.inbox_no === null || row.inbox_no === this.inboxes[inbox]!.no) this.ask(hook, kind, subject);
    }
  }

  private ask(hook: Hook, kind: AskedKind, subject: string): void {
    const key = `${hook.no} ${kind} ${subject}`;
    const rounds = (this.due.get(key)?.rounds ?? 0) + 1;
    this.due.set(key, { hook, kind, subject, rounds, mayEnd: false });
  }

  private url(name: string): string {
    return this.receiver.url + name;
  }

  private async setInboxHook(inbox: number): Promise<void> {
    const name = `inbox-${inbox}`;
    const created = await setWebhook(this.services, this.inboxes[inbox]!, this.url(name));
    const known = this.hooks.find((hook) => hook.name === name);
    if (known) known.isLive = true;
    else this.hooks.push({ no: created.hook.no, name, isLive: true });
  }

  private async createAccountHook(events: AskedKind[]): Promise<void> {
    const live = this.hooks.filter(({ name, isLive }) => isLive && name.startsWith('account'));
    if (live.length >= ACCOUNT_HOOKS) return;
    const name = `account-${this.hooks.length}`;
    const created = await createWebhook(this.services, this.holder.account.no, {
      url: this.url(name),
      events,
    });
    this.hooks.push({ no: created.hook.no, name, isLive: true });
  }

  private async changeHook(what: HookStep, nth: number): Promise<void> {
    const live = this.hooks.filter(({ isLive }) => isLive);
    const hook = this.pick(live, nth);
    const row = hook && findWebhookByNo(this.services.store, hook.no);
    if (!row) return;
    if (what === 'remove') {
      hook.isLive = false;
      for (const due of this.due.values()) if (due.hook === hook) due.mayEnd = true;
      await removeWebhook(this.services, row);
      return;
    }
    if (what === 'change url') {
      const url = this.url(`${hook.name}?${++this.urls}`);
      if (row.inbox_no === null) await changeWebhook(this.services, row, { url });
      return;
    }
    if (what === 'switch') {
      await (row.is_enabled === 0 ? enableWebhook : disableWebhook)(this.services, row);
      return;
    }
    const inboxNo = row.inbox_no;
    const asked = JSON.parse(row.events) as string[];
    const all = listEventsAfter(this.services.store, row.account_no, 0, 1000).filter(
      (event) => inboxNo === null || event.inbox_no === inboxNo,
    );
    const one = this.pick(all, nth);
    if (what === 'replay one' && !one) return;
    const meant = what === 'replay one' ? [one!] : all.filter(({ kind }) => asked.includes(kind));
    await replay(this.services, row, what === 'replay one' ? { event_id: one!.id } : { after: 0 });
    for (const { kind, subject_id } of meant) this.ask(hook, kind as AskedKind, subject_id);
  }

  private async setSuspended(isSuspended: boolean): Promise<void> {
    const { store } = this.services;
    const changes = { status: isSuspended ? ('suspended' as const) : ('active' as const) };
    this.expectSilence();
    await store.write(changeAccountOp, { account_no: this.holder.account.no, changes });
    this.requestsAtSuspension = null;
    if (!isSuspended) return;
    // Attempts in flight end, even those that reach a hanging receiver only now.
    await this.store();
    await until(() => {
      this.receiver.release();
      return this.services.webhooks.isIdle;
    });
    this.requestsAtSuspension = this.receiver.requests.length;
  }

  /** The disk has room again, and results that waited for it are stored. */
  private async store(): Promise<void> {
    this.isDiskFull = false;
    await this.clock.advance(2000);
  }

  /** Nothing is sent for a suspended account. */
  private expectSilence(): void {
    if (this.requestsAtSuspension !== null && this.receiver.requests.length !== this.requestsAtSuspension)
      throw new Error('a webhook of a suspended account was called');
  }

  /** From now on no result is stored; the server ends, and another one starts on the same folder. */
  private async crash(): Promise<void> {
    this.crashes += 1;
    this.isDiskFull = true;
    const stopped = this.services.webhooks.stop();
    this.receiver.release();
    // A result that waits for the disk is tried once more.
    await this.clock.advance(2000);
    await stopped;
    await this.appliance[Symbol.asyncDispose]();
    this.isDiskFull = false;
    await this.start();
  }

  /** Everything works from now on; returns what stays pending nevertheless. */
  async bringToRest(): Promise<Delivery[]> {
    this.expectSilence();
    this.receiver.how.clear();
    this.receiver.release();
    await this.store();
    await this.setSuspended(false);
    for (const { no } of this.hooks) {
      const row = findWebhookByNo(this.services.store, no);
      if (row?.is_enabled === 0) await enableWebhook(this.services, row);
    }
    const pending = () => this.deliveries.filter(({ status }) => status === 'pending');
    await this.settle();
    // The longest delay is 24 h and a fifth, less than a step of the clock.
    for (let hour = 0; hour < 30 && pending().length > 0; hour++) await this.clock.leap(HOUR_MS);
    return pending();
  }

  /** How many webhooks the dispatcher remembers, which no public door reveals. */
  get remembered(): number {
    return Reflect.get(this.services.webhooks, 'lanes').size;
  }

  get deliveries(): Delivery[] {
    return this.hooks.flatMap(({ no }) => listDeliveries(this.services.store, no, 1000));
  }
}
