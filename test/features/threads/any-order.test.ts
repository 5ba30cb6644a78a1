/** Whatever arrives in whatever order, the threads are the connected messages, and nothing of them remains at the end. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

interface Mail {
  ref: number | null;
  refs: number[];
}

const someId = fc.integer({ min: 1, max: 14 });
const mails = fc.array(
  fc.record({ ref: fc.option(someId), refs: fc.uniqueArray(someId, { maxLength: 3 }) }),
  { minLength: 1, maxLength: 25 },
);

/** For each mail the first one that it is connected to, by ids. */
function connect(list: readonly Mail[]): number[] {
  const first = list.map((_, at) => at);
  const listIds = ({ ref, refs }: Mail) => (ref === null ? refs : [ref, ...refs]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [one, mail] of list.entries())
      for (const [two, other] of list.entries())
        if (first[two]! < first[one]! && listIds(mail).some((id) => listIds(other).includes(id))) {
          first[one] = first[two]!;
          changed = true;
        }
  }
  return first;
}

test('threads are the messages that Message-IDs connect, with the id of the oldest', async () => {
  const { holder } = await Mailbox.open(appliance);
  const get = async (path: string) =>
    (await appliance.request('GET', `/api/v1${path}`, { key: holder.key })).json.data;
  await fc.assert(
    fc.asyncProperty(mails, fc.infiniteStream(fc.nat()), async (list, chances) => {
      const box = await Mailbox.open(appliance, {}, holder);
      const ids: string[] = [];
      for (const mail of list)
        ids.push(
          await appliance.deliver(box.address, { ...mail, refs: mail.refs.filter((id) => id !== mail.ref) }),
        );
      const readThread = async (id: string) => (await get(`/messages/${id}`)).thread_id;
      const expected = connect(list).map((at) => ids[at]!.replace('msg_', 'thr_'));
      expect(await Promise.all(ids.map(readThread))).toEqual(expected);
      const counts = new Map<string, number>();
      for (const thread of expected) counts.set(thread, (counts.get(thread) ?? 0) + 1);
      const check = async () => {
        const threads: { id: string; message_count: number; latest_at: string; latest: { id: string } }[] =
          await get('/threads?limit=100');
        expect(Object.fromEntries(threads.map(({ id, message_count }) => [id, message_count]))).toEqual(
          Object.fromEntries(counts),
        );
        const times = threads.map(({ latest_at }) => latest_at);
        expect(times).toEqual(times.toSorted().reverse());
        for (const { id, latest } of threads)
          expect((await get(`/threads/${id}`)).messages.at(-1).id).toBe(latest.id);
      };
      await check();
      // Deleted in any order, each thread shrinks and ends.
      const left = ids.map((id, at) => ({ id, thread: expected[at]! }));
      while (left.length > 0) {
        const [{ id, thread }] = left.splice(chances.next().value! % left.length, 1) as [(typeof left)[0]];
        await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: holder.key });
        const count = counts.get(thread)! - 1;
        if (count > 0) counts.set(thread, count);
        else counts.delete(thread);
        if (left.length % 5 === 0) await check();
      }
      expect(['thread', 'thread_ref'].map((table) => countRows(appliance, table))).toEqual([0, 0]);
    }),
    { numRuns: 25 },
  );
}, 60_000);
