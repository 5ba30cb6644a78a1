/** Very large threads: the writer never stalls for one, and pages read only what they show. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { threadJobs } from '../../../src/features/messages/threads/jobs.ts';
import { KNOWN_REF } from '../../../src/features/messages/threads/sql.ts';
import {
  ALONE,
  MEMBERS,
  SUBJECTS,
  THREADS,
  writeReceivedStatement,
  writeSentStatement,
} from '../../../src/features/threads/sql.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { countRows, explainPlan } from '../../store-state.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  // No job runs unless a test runs it.
  appliance = await startAppliance({ clock: new FakeClock(), settings: { limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = async (box: Mailbox, path: string) =>
  (await appliance.request('GET', `/api/v1${path}`, { key: box.holder.key })).json;

test('when two large threads turn out to be one, a job moves the messages', async () => {
  const box = await Mailbox.open(appliance);
  let next = 1;
  const fill = async (root: number, count: number) => {
    const ids = [await appliance.deliver(box.address, { ref: root })];
    for (let at = 1; at < count; at++)
      ids.push(await appliance.deliver(box.address, { ref: 1_000_000 + next++, refs: [root] }));
    return ids;
  };
  const [one, two, three] = [await fill(1, 3), await fill(2, 250), await fill(3, 150)];
  const findId = async (id: string) => (await get(box, `/messages/${id}`)).data.thread_id;
  const [older, younger, youngest] = [await findId(one[0]!), await findId(two[0]!), await findId(three[0]!)];
  await appliance.deliver(box.address, { ref: 9, refs: [2, 3] });
  const joint = await appliance.deliver(box.address, { ref: 10, refs: [1, 2] });
  // Clients see the merged thread at once, however many messages have been moved so far.
  for (const id of [joint, two[0]!, two.at(-1)!, three[0]!, three.at(-1)!])
    expect(await findId(id)).toBe(older);
  for (const id of [younger, youngest])
    expect((await get(box, `/threads/${id}`)).data).toMatchObject({ id: older, message_count: 405 });
  // Some messages arrive and some are deleted meanwhile.
  const late = await appliance.deliver(box.address, { ref: 11, refs: [3] });
  expect(await findId(late)).toBe(older);
  await appliance.request('DELETE', `/api/v1/messages/${three[1]}`, { key: box.holder.key });

  for (const job of threadJobs) await appliance.run(job);
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = await get(box, `/threads/${older}?limit=100${cursor}`);
    ids.push(...data.messages.map(({ id }: { id: string }) => id));
    expect(data.message_count).toBe(405);
    if (!pagination.has_more) break;
    cursor = `&cursor=${pagination.next_cursor}`;
  }
  expect(new Set(ids).size).toBe(405);
  expect(ids).toHaveLength(405);
  expect(countRows(appliance, 'thread')).toBe(1);
  expect((await get(box, '/threads')).data).toMatchObject([
    { id: older, message_count: 405, latest: { id: late } },
  ]);
});

test('the ids that a thread has mentioned are forgotten in pieces when it ends', async () => {
  const box = await Mailbox.open(appliance);
  const others = countRows(appliance, 'thread_ref');
  const ids: string[] = [];
  let mentioned = 3_000_000;
  const mail = async (refs: number[]) =>
    ids.push(await appliance.deliver(box.address, { ref: mentioned++, refs }));
  const elsewhere = () => Array.from({ length: 11 }, () => mentioned++);
  for (const root of [21, 22]) for (let at = 0; at < 80; at++) await mail([root, ...elsewhere()]);
  await mail([21, 22]);
  for (const job of threadJobs) await appliance.run(job);
  const mentions = countRows(appliance, 'thread_ref') - others;
  expect(mentions).toBeGreaterThan(1_500);
  const thread = (await get(box, `/messages/${ids[0]}`)).data.thread_id;
  for (const id of ids) await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: box.holder.key });
  expect(countRows(appliance, 'thread_ref') - others).toBeWithin(1, mentions - 900);
  expect((await get(box, '/threads')).data).toEqual([]);
  expect((await get(box, `/threads/${thread}`)).error.code).toBe('not_found');
  // This mail refers to the thread that is ending, and is alone.
  const late = await appliance.deliver(box.address, { ref: mentioned++, refs: [21] });
  expect((await get(box, '/threads')).data).toMatchObject([{ message_count: 1, latest: { id: late } }]);
  for (const job of threadJobs) await appliance.run(job);
  expect(countRows(appliance, 'thread_ref') - others).toBeLessThanOrEqual(1);
  expect((await get(box, `/messages/${late}`)).data.thread_id).toBe(late.replace('msg_', 'thr_'));
});

test('each query of a page uses its index, in the order of the page', () => {
  const plans = {
    [ALONE]: 'SEARCH m USING INDEX message_account (account_no=? AND rowid>? AND rowid<?)',
    [writeReceivedStatement(false)]:
      'SEARCH m USING INDEX message_thread (account_no=? AND thread_no=? AND rowid>?)',
    [writeReceivedStatement(true)]:
      'SEARCH m USING INDEX message_thread (account_no=? AND thread_no=? AND rowid<?)',
    [writeSentStatement(false)]: 'SEARCH thread_sent USING PRIMARY KEY (thread_no=? AND at>?)',
    [writeSentStatement(true)]: 'SEARCH thread_sent USING PRIMARY KEY (thread_no=? AND at<?)',
    [THREADS]: 'SEARCH thread USING INDEX thread_account (account_no=? AND last_at>? AND last_at<?)',
    [MEMBERS]: 'SEARCH m USING INTEGER PRIMARY KEY (rowid=?)',
    [SUBJECTS]: 'SEARCH m USING INTEGER PRIMARY KEY (rowid=?)',
    [KNOWN_REF]: 'SEARCH message USING INDEX message_ref (account_no=? AND ref=?)',
  };
  for (const [statement, plan] of Object.entries(plans)) {
    const found = explainPlan(appliance, statement);
    expect(found).toContain(plan);
    expect(found).not.toMatch(/TEMP B-TREE|SCAN (?!\(subquery|member VIRTUAL)/);
  }
});
