/** An inbox that accepts only some senders: whose mail is let through, and when. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { silence } from '../../peers/dns-server.ts';
import { txt } from '../authenticity/signed.ts';
import {
  ask,
  endPost,
  handedOn,
  inbox,
  listIds,
  mailFrom,
  post,
  publishHonest,
  send,
  sendFrom,
  setSenders,
  startPost,
  usePost,
  whenChecked,
  withheld,
} from './sender-lists.ts';

usePost();

describe('an inbox that allows only some senders', () => {
  beforeEach(() =>
    setSenders(post, inbox, { mode: 'allowed_only', allow: ['shop.example', 'ann@mail.shop.example'] }),
  );

  test('delivers their mail and wakes waiting clients once the check proves that it is theirs', async () => {
    const waiting = ask(post, 'GET', `/api/v1/inboxes/${inbox.id}/messages/wait?timeout=20`);
    const id = await sendFrom('Shop <ann@shop.example>');
    const { json } = await waiting;
    expect(json.data).toMatchObject({ id, otp: '481516', withheld: null });
    expect(json.data.authentication.from).toEqual({ domain: 'shop.example', aligned: true });
    expect(await withheld(post, inbox)).toEqual([]);
    expect(await listIds(post, '/api/v1/messages?search=Shop+from:shop.example')).toContain(id);
  });

  test('withholds a mail until then, forever if no verdict comes', async () => {
    publishHonest(post, 'slow.example');
    post.dns.set('_dmarc.slow.example', 'TXT', silence);
    await setSenders(post, inbox, { mode: 'allowed_only', allow: ['slow.example'] });
    const id = await sendFrom('ann@slow.example');
    expect(await handedOn(post, inbox)).toEqual([]);
    const { json } = await ask(post, 'GET', `/api/v1/inboxes/${inbox.id}/withheld`);
    expect(json.data).toEqual([expect.objectContaining({ id, withheld: 'unproven', subject: 'hello' })]);
  });

  test.each([
    ['who only claims to be allowed', 'ann@shop.example', 'spam.example', 'unauthenticated'],
    ['of a domain below an allowed one', 'ann@below.shop.example', 'shop.example', 'not_allowed'],
    ['with a tag behind an allowed address', 'ann+x@mail.shop.example', 'mail.shop.example', 'not_allowed'],
    [
      'whose name is an allowed address',
      '"ann@shop.example" <eve@spam.example>',
      'spam.example',
      'not_allowed',
    ],
    ['beside one who is allowed', 'ann@shop.example, eve@spam.example', 'shop.example', 'not_allowed'],
    ['without an address', 'undisclosed', 'shop.example', 'not_allowed'],
  ])('keeps out a sender %s', async (_, sender, domain, reason) => {
    const id = await send(post, inbox.address, mailFrom(sender), domain);
    expect(await whenChecked(post, id)).toBe(reason);
    expect(await handedOn(post, inbox)).toEqual([]);
    expect(await withheld(post, inbox)).toEqual([id]);
  });

  test('accepts no mail with two From headers as proof', async () => {
    const id = await send(
      post,
      inbox.address,
      `From: ann@shop.example\r\n${mailFrom('ann@shop.example')}`,
      'shop.example',
    );
    expect(await whenChecked(post, id)).toBe('unauthenticated');
  });

  test('accepts SPF as proof for exactly the domain itself, if it publishes no DMARC', async () => {
    post.dns.set('plain.example', 'TXT', txt('v=spf1 ip4:127.0.0.1 -all'));
    await setSenders(post, inbox, { mode: 'allowed_only', allow: ['plain.example', 'sub.plain.example'] });
    expect(await whenChecked(post, await sendFrom('ann@plain.example'))).toBeNull();
    const below = await sendFrom('ann@sub.plain.example', 'plain.example');
    expect(await whenChecked(post, below)).toBe('unauthenticated');
  });

  test('decides by its lists as they are when the verdict comes', async () => {
    post.dns.set('_dmarc.shop.example', 'TXT', {
      records: [{ type: 'TXT', data: ['v=DMARC1; p=reject'] }],
      delay_ms: 300,
    });
    const kept = await sendFrom('ann@shop.example');
    await setSenders(post, inbox, { mode: 'allowed_only', allow: ['elsewhere.example'] });
    expect(await whenChecked(post, kept)).toBe('not_allowed');
    const passed = await sendFrom('bob@elsewhere.example', 'elsewhere.example');
    await setSenders(post, inbox, {});
    expect(await whenChecked(post, passed)).toBeNull();
  });
});

test('without the check of senders, lists of allowed senders and waits for proven mail are refused', async () => {
  const off = await startPost({ settings: { authentication: 'off' } });
  try {
    const box = await off.appliance.inbox(off.owner);
    const refused = await ask(off, 'PUT', `/api/v1/inboxes/${box.id}/senders`, { mode: 'allowed_only' });
    expect([refused.status, Object.keys(refused.json.error.fields)]).toEqual([422, ['mode']]);
    const wait = await ask(off, 'GET', `/api/v1/inboxes/${box.id}/messages/wait?authenticated=true`);
    expect([wait.status, Object.keys(wait.json.error.fields)]).toEqual([422, ['authenticated']]);
  } finally {
    await endPost(off);
  }
});
