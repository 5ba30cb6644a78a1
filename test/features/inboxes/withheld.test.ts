/** What can happen to a message that is withheld. */
import { describe, expect, test } from 'bun:test';
import { messageJobs } from '../../../src/features/messages/jobs.ts';
import { countRows } from '../../store-state.ts';
import { until } from '../../until.ts';
import { readEvent, startHooked } from '../webhooks/hooked.ts';
import {
  ask,
  handedOn,
  inbox,
  listIds,
  mailFrom,
  type Post,
  post,
  send,
  sendFrom,
  setSenders,
  usePost,
  whenChecked,
  withheld,
} from './sender-lists.ts';

usePost();

describe('a withheld message', () => {
  test('reaches waiting clients, the webhook and its thread exactly once when its owner accepts it', async () => {
    await using one = await startHooked({ settings: { authentication: 'off' } });
    const { appliance, hooked } = one;
    const local: Post = { appliance, owner: hooked.owner, dns: one.dns };
    await setSenders(local, hooked.inbox, { block: ['spam.example'] });
    const { address } = hooked.inbox;
    const parent = `Message-ID: <1@x.example>\r\n${mailFrom('ann@shop.example')}`;
    const reply = `In-Reply-To: <1@x.example>\r\n${mailFrom('eve@spam.example', 're')}`;
    const first = await send(local, address, parent, 'x.example');
    const second = await send(local, address, reply, 'x.example');
    const wait = `/api/v1/inboxes/${hooked.inbox.id}/messages/wait?timeout=20&require=message`;
    const waiting = ask(local, 'GET', wait);
    const accepts = await Promise.all(
      [1, 2].map(() => ask(local, 'POST', `/api/v1/messages/${second}/accept`)),
    );
    expect(accepts.map(({ status }) => status)).toEqual([200, 200]);
    const accepted = accepts[0]!.json.data;
    expect(accepted).toMatchObject({ id: second, withheld: null, otp: '481516' });
    expect((await waiting).json.data.id).toBe(second);
    expect(await handedOn(local, hooked.inbox)).toEqual([second, first]);
    const thread = await ask(local, 'GET', `/api/v1/threads/${accepted.thread_id}`);
    expect(thread.json.data.messages.map(({ id }: { id: string }) => id)).toEqual([first, second]);
    await until(() => hooked.deliveries.filter(({ status }) => status === 'delivered').length === 2);
    const notified = one.receiver.requests.map((request) => readEvent(request).data.message.id);
    expect(notified).toEqual([first, second]);
    expect((await ask(local, 'GET', '/api/v1/account')).json.data.usage.messages_received).toBe(2);
  });

  describe('that is accepted', () => {
    const events = async () =>
      (await ask(post, 'GET', `/api/v1/events?inbox_id=${inbox.id}`)).json.data.map(
        ({ event, data }: { event: string; data: { message: { id: string } } }) => [event, data.message.id],
      );

    test('after its sender was checked is reported as received, then as authenticated', async () => {
      expect(await events()).toEqual([]);
      await setSenders(post, inbox, { block: ['spam.example'] });
      const id = await sendFrom('eve@spam.example');
      expect(await whenChecked(post, id)).toBe('blocked');
      expect(await events()).toEqual([]);
      for (const _ of [1, 2]) await ask(post, 'POST', `/api/v1/messages/${id}/accept`);
      expect(await events()).toEqual([
        ['email.received', id],
        ['email.authenticated', id],
      ]);
    });

    test('before its sender was checked is reported as received, and as authenticated once it is', async () => {
      expect(await events()).toEqual([]);
      await setSenders(post, inbox, { block: ['slow.example'] });
      post.dns.set('slow.example', 'TXT', { delay_ms: 300 });
      const id = await sendFrom('eve@slow.example');
      await ask(post, 'POST', `/api/v1/messages/${id}/accept`);
      await whenChecked(post, id);
      expect(await events()).toEqual([
        ['email.received', id],
        ['email.authenticated', id],
      ]);
    });
  });

  test('can be deleted but neither marked nor tagged, and is invisible to other accounts', async () => {
    await setSenders(post, inbox, { block: ['spam.example'] });
    const [one, two] = [await sendFrom('eve@spam.example'), await sendFrom('eve@spam.example')];
    const stranger = { ...post, owner: await post.appliance.holder() };
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/raw'],
      ['POST', '/accept'],
      ['DELETE', ''],
    ]) {
      expect((await ask(stranger, method!, `/api/v1/messages/${one}${path}`)).status).toBe(404);
    }
    expect((await ask(post, 'PATCH', `/api/v1/messages/${one}`, { read: true })).status).toBe(409);
    expect((await ask(post, 'PUT', `/api/v1/messages/${one}/tags`, { tags: ['a'] })).status).toBe(409);
    expect((await ask(post, 'DELETE', `/api/v1/messages/${one}`)).status).toBe(204);
    expect((await ask(post, 'DELETE', `/api/v1/messages/${one}`)).status).toBe(404);
    const batch = await ask(post, 'POST', '/api/v1/messages/batch', { action: 'delete', ids: [two] });
    expect(batch.json.data.results).toEqual([{ id: two, status: 'deleted' }]);
    expect(await withheld(post, inbox)).toEqual([]);
  });

  test('is listed page by page, and is deleted with its inbox', async () => {
    await setSenders(post, inbox, { block: ['spam.example'] });
    const ids = [
      await sendFrom('a@spam.example'),
      await sendFrom('b@spam.example'),
      await sendFrom('c@spam.example'),
    ];
    const first = await ask(post, 'GET', `/api/v1/inboxes/${inbox.id}/withheld?limit=2`);
    expect(first.json.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
    const cursor = first.json.pagination.next_cursor;
    expect(await listIds(post, `/api/v1/inboxes/${inbox.id}/withheld?cursor=${cursor}`)).toEqual(
      ids.slice(0, 1),
    );
    expect((await ask(post, 'DELETE', `/api/v1/inboxes/${inbox.id}`)).status).toBe(204);
    expect((await ask(post, 'GET', `/api/v1/messages/${ids[0]}`)).status).toBe(404);
    expect((await ask(post, 'POST', `/api/v1/messages/${ids[0]}/accept`)).status).toBe(404);
    await post.appliance.run(messageJobs.find(({ name }) => name === 'messages.erase_deleted_inboxes')!);
    expect(countRows(post.appliance, `(SELECT 1 FROM withheld WHERE id IN ('${ids.join("','")}'))`)).toBe(0);
  });
});
