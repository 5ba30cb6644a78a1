/** Who may write to an inbox: which mail its lists let through, and what happens to the rest. */
import { describe, expect, test } from 'bun:test';
import { LISTED_ENTRIES } from '../../../src/features/inboxes/senders/sql.ts';
import { WITHHELD_LIST } from '../../../src/features/messages/withheld/sql.ts';
import { countRows, explainPlan } from '../../store-state.ts';
import {
  ask,
  handedOn,
  inbox,
  mailFrom,
  post,
  publishHonest,
  send,
  sendFrom,
  setSenders,
  usePost,
  whenChecked,
  withheld,
} from './sender-lists.ts';

usePost();

const senders = (id = inbox.id) => `/api/v1/inboxes/${id}/senders`;

describe('lists of senders', () => {
  test('are empty until they are set, and are returned in the form that is compared', async () => {
    const none = await ask(post, 'GET', senders());
    expect(none.json.data).toEqual({ mode: 'everyone', allow: [], block: [] });
    const set = await ask(post, 'PUT', senders(), {
      mode: 'allowed_only',
      allow: [
        ' Ann@SHOP.example ',
        '@bücher.example',
        '*@Shop.example',
        '*.shop.example',
        'ann@shop.example',
      ],
      block: ['*.xyz', 'ann+news@shop.example'],
    });
    expect(set.status).toBe(200);
    expect(set.json.data).toEqual({
      mode: 'allowed_only',
      allow: ['*.shop.example', 'ann@shop.example', 'shop.example', 'xn--bcher-kva.example'],
      block: ['*.xyz', 'ann+news@shop.example'],
    });
    expect((await ask(post, 'GET', senders())).json.data).toEqual(set.json.data);
    const cleared = await ask(post, 'PUT', senders(), {});
    expect(cleared.json.data).toEqual({ mode: 'everyone', allow: [], block: [] });
  });

  test('refuse what is neither an address nor a domain, and name its place', async () => {
    const refused = await ask(post, 'PUT', senders(), {
      allow: ['ok.example', 'Ann <ann@shop.example>', '*.com', 'a*@shop.example', '', 'a@b@', '[192.0.2.1]'],
      block: [
        '*',
        'com',
        'http://shop.example/',
        '192.0.2.1',
        'a@[192.0.2.1]',
        '*.*.example',
        'x'.repeat(400),
        'ok.example',
      ],
    });
    expect(refused.status).toBe(422);
    const { fields } = refused.json.error;
    expect(fields.allow.map((reason: string) => reason.match(/^entry \d+/)![0])).toEqual(
      [2, 3, 4, 5, 6, 7].map((place) => `entry ${place}`),
    );
    expect(fields.block).toHaveLength(8);
    expect(fields.block.at(-1)).toBe('entry 8 is in allow too');
    expect((await ask(post, 'GET', senders())).json.data.allow).toEqual([]);
  });

  test('have at most a thousand entries, and an error names only the first few wrong ones', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@shop.example`);
    expect((await ask(post, 'PUT', senders(), { allow: many(500), block: ['spam.example'] })).status).toBe(
      200,
    );
    const over = await ask(post, 'PUT', senders(), {
      allow: many(999),
      block: ['one.example', 'two.example'],
    });
    expect([over.status, Object.keys(over.json.error.fields)]).toEqual([422, ['allow']]);
    expect((await ask(post, 'PUT', senders(), { block: many(1001) })).status).toBe(422);
    const wrong = await ask(post, 'PUT', senders(), { block: Array(900).fill('?') });
    expect(wrong.json.error.fields.block).toHaveLength(20);
    expect((await ask(post, 'GET', senders())).json.data.allow).toHaveLength(500);
    await ask(post, 'PUT', senders(), {});
    expect(countRows(post.appliance, 'sender_entry')).toBe(0);
  });

  test('do not exist for another account, for an unknown inbox, or through a sub-address', async () => {
    const other = await post.appliance.holder();
    const theirs = await post.appliance.inbox(other);
    for (const id of [theirs.id, 'inbox_0', inbox.address.replace('@', '+x@')]) {
      expect((await ask(post, 'GET', senders(id))).status).toBe(404);
      expect((await ask(post, 'PUT', senders(id), {})).status).toBe(404);
      expect((await ask(post, 'GET', `/api/v1/inboxes/${id}/withheld`)).status).toBe(404);
    }
  });

  test('are read with an index', () => {
    expect(explainPlan(post.appliance, LISTED_ENTRIES)).toContain('PRIMARY KEY (inbox_no=? AND entry=?)');
    expect(explainPlan(post.appliance, WITHHELD_LIST)).toContain('withheld_inbox (inbox_no=? AND rowid<?)');
    expect(explainPlan(post.appliance, WITHHELD_LIST)).not.toContain('TEMP B-TREE');
  });
});

describe('a blocked sender', () => {
  test('gets a 250, and the mail is kept but shown nowhere else', async () => {
    await setSenders(post, inbox, { block: ['spam.example'] });
    const waiting = ask(post, 'GET', `/api/v1/inboxes/${inbox.id}/messages/wait?timeout=20&require=message`);
    const id = await sendFrom('Nice Person <eve@spam.example>');
    const good = await sendFrom('Ann <ann@shop.example>');
    expect((await waiting).json.data.id).toBe(good);
    expect(await handedOn(post, inbox)).toEqual([good]);
    expect(await withheld(post, inbox)).toEqual([id]);
    for (const path of ['messages', 'messages?search=eve', 'threads']) {
      expect(JSON.stringify((await ask(post, 'GET', `/api/v1/${path}`)).json)).not.toContain(id.slice(4));
    }
    const latest = await ask(post, 'GET', `/api/v1/inboxes/${inbox.id}/messages/latest`);
    expect(latest.json.data.id).toBe(good);
    const whole = await ask(post, 'GET', `/api/v1/messages/${id}`);
    expect(whole.json.data).toMatchObject({
      id,
      withheld: 'blocked',
      otp: '481516',
      from: 'Nice Person <eve@spam.example>',
    });
    const raw = await ask(post, 'GET', `/api/v1/messages/${id}/raw`);
    expect(raw.text).toContain('Your code is 481516');
  });

  test.each([
    ['by its address, with any tag', 'eve@spam.example', 'eve+more@spam.example', true],
    ['by its address, whatever its case', 'eve@spam.example', 'EVE@Spam.Example', true],
    ['by an address with a tag, not without it', 'eve+more@spam.example', 'eve@spam.example', false],
    ['by its domain, not below it', 'spam.example', 'eve@mail.spam.example', false],
    ['by a wildcard, below the domain', '*.spam.example', 'eve@a.b.spam.example', true],
    ['by a wildcard, not the domain itself', '*.spam.example', 'eve@spam.example', false],
    ['not by a domain that ends alike', 'spam.example', 'eve@notspam.example', false],
    ['by a whole top-level domain', '*.xyz', 'eve@cheap.xyz', true],
    ['by an international domain', 'bücher.example', 'eve@xn--bcher-kva.example', true],
    [
      'behind a name that looks like an address',
      'spam.example',
      '"ann@shop.example" <eve@spam.example>',
      true,
    ],
    [
      'not when only the name looks like its address',
      'spam.example',
      '"eve@spam.example" <ann@shop.example>',
      false,
    ],
    [
      'behind an encoded name',
      'spam.example',
      '=?utf-8?q?ann=40shop.example_=3Cann=40shop.example=3E?= <eve@spam.example>',
      true,
    ],
    ['behind the dot that ends a whole name', '*.spam.example', 'eve@a.spam.example.', true],
    ['among several', 'spam.example', 'ann@shop.example, eve@spam.example', true],
    ['in a group', 'spam.example', 'Team: ann@shop.example, eve@spam.example;', true],
  ])('is found %s', async (_, entry, sender, isBlocked) => {
    await setSenders(post, inbox, { block: [entry] });
    const id = await send(post, inbox.address, mailFrom(sender), 'shop.example');
    expect(await (isBlocked ? withheld : handedOn)(post, inbox)).toEqual([id]);
  });

  test('can’t hide behind a second From header, nor among many addresses', async () => {
    await setSenders(post, inbox, { block: ['spam.example'] });
    const ids: string[] = [];
    for (const [one, two] of [
      ['eve@spam.example', 'ann@shop.example'],
      ['ann@shop.example', 'eve@spam.example'],
    ]) {
      ids.unshift(await send(post, inbox.address, `From: ${one}\r\n${mailFrom(two!)}`, 'shop.example'));
    }
    const crowd = Array.from({ length: 60 }, (_, index) => `a${index}@shop.example`).join(', ');
    ids.unshift(await send(post, inbox.address, mailFrom(`${crowd}, eve@spam.example`), 'shop.example'));
    expect(await withheld(post, inbox)).toEqual(ids);
  });

  test('is let through where a more specific entry allows it, once its identity is proven', async () => {
    publishHonest(post, 'sales.spam.example');
    await setSenders(post, inbox, {
      block: ['spam.example', '*.spam.example'],
      allow: ['eve@spam.example', 'sales.spam.example'],
    });
    const proven = await sendFrom('eve@spam.example');
    const below = await sendFrom('ann@sales.spam.example');
    const forged = await sendFrom('eve@spam.example', 'elsewhere.example');
    const other = await sendFrom('mallory@spam.example');
    expect(await whenChecked(post, proven)).toBeNull();
    expect(await whenChecked(post, below)).toBeNull();
    expect(await whenChecked(post, forged)).toBe('unauthenticated');
    expect(await whenChecked(post, other)).toBe('blocked');
    expect((await handedOn(post, inbox)).sort()).toEqual([proven, below].sort());
  });

  test('is kept out only of the inbox that blocks it, not of the other recipients’', async () => {
    const other = await post.appliance.inbox(post.owner);
    await setSenders(post, inbox, { block: ['spam.example'] });
    const { sendMail } = await import('../../peers/smtp-client.ts');
    const { data } = await sendMail({
      port: post.appliance.smtpPort,
      from: 'a@spam.example',
      to: [inbox.address, other.address],
      raw: mailFrom('eve@spam.example'),
    });
    expect(data?.code).toBe(250);
    expect([(await withheld(post, inbox)).length, (await handedOn(post, inbox)).length]).toEqual([1, 0]);
    expect([(await withheld(post, other)).length, (await handedOn(post, other)).length]).toEqual([0, 1]);
  });

  test('does not exist where only allowed senders are listed, so even forged mail is accepted', async () => {
    await setSenders(post, inbox, { allow: ['ann@shop.example'] });
    const forged = await sendFrom('ann@shop.example', 'elsewhere.example');
    expect(await handedOn(post, inbox)).toEqual([forged]);
  });
});
