/** Whatever happens at once, in whatever order, each stored count matches what happened, and nothing is left over. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { jobs } from '../../src/app/jobs.ts';
import { countRows } from '../store-state.ts';
import { Sender } from './outbound/sender.ts';

/** Inboxes at a time; the first is never deleted. */
const INBOXES = 3;

type Step =
  | { kind: 'mail'; box: number; alsoFirst: boolean }
  | { kind: 'delete message'; nth: number }
  | { kind: 'replace inbox'; box: number }
  | { kind: 'take a taken address' }
  | { kind: 'erase' }
  | { kind: 'send'; recipients: number; again: boolean };

const box = fc.integer({ min: 1, max: INBOXES - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('mail' as const), box, alsoFirst: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete message' as const), nth: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace inbox' as const), box }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('take a taken address' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      recipients: fc.integer({ min: 1, max: 4 }),
      again: fc.boolean(),
    }),
  },
);
/** The steps of one batch run at once. */
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 16 }), { minLength: 1, maxLength: 5 });

interface Box {
  id: string;
  address: string;
  received: number;
  left: Set<string>;
}

/** One account's world: what it did, for comparison with what the API says. */
class World {
  readonly boxes: Box[] = [];
  received = 0;
  sent = 0;
  private sends = 0;

  constructor(private readonly sender: Sender) {}

  async makeBox(): Promise<Box> {
    const created = await this.sender.appliance.inbox(this.sender.owner);
    return { ...created, received: 0, left: new Set() };
  }

  async runStep(one: Step): Promise<void> {
    const { appliance, owner } = this.sender;
    if (one.kind === 'mail') await this.bringMail(this.boxes[one.box]!, one.alsoFirst);
    if (one.kind === 'delete message') await this.deleteMessage(one.nth);
    if (one.kind === 'replace inbox') {
      const { id } = this.boxes[one.box]!;
      this.boxes[one.box] = await this.makeBox();
      const { status } = await appliance.request('DELETE', `/api/v1/inboxes/${id}`, { key: owner.key });
      expect([204, 404]).toContain(status);
    }
    if (one.kind === 'take a taken address') {
      // This one fails in the writer, and its whole group is repeated.
      const body = { routing_key: this.boxes[0]!.address.split('@')[0] };
      expect((await appliance.request('POST', '/api/v1/inboxes', { key: owner.key, body })).status).toBe(409);
    }
    if (one.kind === 'erase') await this.erase();
    if (one.kind === 'send') await this.send(one.recipients, one.again);
  }

  async erase(): Promise<void> {
    await this.sender.appliance.run(jobs.find(({ name }) => name === 'messages.erase_deleted_inboxes')!);
  }

  private async bringMail(to: Box, alsoFirst: boolean): Promise<void> {
    const { appliance, owner } = this.sender;
    const alsoTo = alsoFirst ? [this.boxes[0]!.address] : [];
    // It rejects when the inbox was replaced meanwhile; the other one has the mail then.
    const id = await appliance.deliver(to.address, { alsoTo, tags: ['one', 'two'] }).catch(() => null);
    if (alsoFirst) this.boxes[0]!.received += 1;
    if (alsoFirst) this.received += 1;
    if (id === null) return;
    const { json } = await appliance.request('GET', `/api/v1/messages/${id}`, { key: owner.key });
    const isFirst = json.data?.inbox_id === this.boxes[0]!.id;
    if (isFirst) return;
    to.received += 1;
    to.left.add(id);
    this.received += 1;
  }

  private async deleteMessage(nth: number): Promise<void> {
    const { appliance, owner } = this.sender;
    const ids = this.boxes.flatMap(({ left }) => [...left]);
    const id = ids[nth % ids.length];
    if (id === undefined) return;
    for (const { left } of this.boxes) left.delete(id);
    const { status } = await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: owner.key });
    expect([204, 404]).toContain(status);
  }

  /** `again`: twice at once under one Idempotency-Key, as a client that had no answer does. */
  private async send(recipients: number, again: boolean): Promise<void> {
    const to = Array.from({ length: recipients }, (_, index) => `to-${index}@example.org`);
    const headers = { 'idempotency-key': `send-${this.sends++}-${Math.random()}` };
    const replies = await Promise.all(
      Array.from({ length: again ? 2 : 1 }, () => this.sender.send({ to }, headers)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ json }) => json.data.id)).size).toBe(1);
    this.sent += recipients;
  }
}

test('usage, the counts of inboxes and what is left match what happened', async () => {
  const [many, most] = ['100000', '1000000'];
  await using sender = await Sender.start({
    settings: {
      plan_business_outbound_queued: many,
      plan_business_outbound_recipients_per_hour: many,
      plan_business_outbound_recipients_per_day: most,
    },
  });
  const { appliance, owner } = sender;
  const get = async (path: string) => (await sender.get(path)).json.data;
  const base = (await get('/account')).usage;
  const world = new World(sender);
  await fc.assert(
    fc.asyncProperty(batches, async (list) => {
      world.boxes.splice(0);
      for (let count = 0; count < INBOXES; count++) world.boxes.push(await world.makeBox());
      for (const batch of list) {
        await Promise.all(batch.map((one) => world.runStep(one)));
        const { usage } = await get('/account');
        expect(usage).toMatchObject({
          messages_received: base.messages_received + world.received,
          outbound_recipients: base.outbound_recipients + world.sent,
        });
        for (const { id, received, left } of world.boxes.slice(1)) {
          expect((await get(`/inboxes/${id}`)).message_count_month).toBe(received);
          const listed: { id: string }[] = await get(`/inboxes/${id}/messages?limit=100`);
          expect(listed.map((message) => message.id).sort()).toEqual([...left].sort());
        }
        expect((await get(`/inboxes/${world.boxes[0]!.id}`)).message_count_month).toBe(
          world.boxes[0]!.received,
        );
      }
      for (const { id } of world.boxes)
        await appliance.request('DELETE', `/api/v1/inboxes/${id}`, { key: owner.key });
      await world.erase();
      expect(['message', 'raw', 'message_tag'].map((table) => countRows(appliance, table))).toEqual([
        0, 0, 0,
      ]);
    }),
    { numRuns: 12 },
  );
}, 60_000);
