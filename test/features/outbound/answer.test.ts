/** Replying, forwarding and composing from an inbox. The originals go through the real parser. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ParsedMail as Mail, simpleParser } from 'mailparser';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import type { Reply } from '../../start.ts';
import { suppressRecipient } from '../../store-state.ts';
import { DOMAIN, Sender, verdict } from './sender.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

const DESK = `desk@${DOMAIN}`;

/** Delivers a message with these header lines. Returns its path. */
async function arrive(headers: string[], body = 'Original words.\r\n'): Promise<string> {
  const raw = `${headers.join('\r\n')}\r\n\r\n${body}`;
  const { summary, content } = await parseMail(Buffer.from(raw));
  const id = await sender.appliance.deliver(DESK, { ...summary, content, raw });
  return `/inboxes/${sender.inbox.id}/messages/${id}`;
}

async function reply(headers: string[], fields: Record<string, unknown> = {}): Promise<Reply> {
  return sender.post(`${await arrive(headers)}/reply`, { body_text: 'Thanks.', ...fields });
}

const read = async (answer: Reply): Promise<Mail> => simpleParser(sender.mime(answer));

const plain = [
  'From: Ann Lee <ann@example.org>',
  `To: ${DESK}`,
  'Subject: Your order',
  'Message-ID: <order-1@example.org>',
];

describe('a reply', () => {
  test('goes to the sender, from the inbox, in the thread, with only the requested text', async () => {
    const answer = await reply(plain);
    expect(verdict(answer)).toBe('201');
    expect(structuredClone(answer.json.data)).toMatchObject({
      kind: 'reply',
      inbox_id: sender.inbox.id,
      from_address: DESK,
      to: ['Ann Lee <ann@example.org>'],
      cc: [],
      bcc: [],
      reply_to: null,
      subject: 'Re: Your order',
      status: 'queued',
    });
    const mail = await read(answer);
    expect(mail.inReplyTo).toBe('<order-1@example.org>');
    expect(mail.references).toBe('<order-1@example.org>');
    expect(mail.from?.text).toBe(DESK);
    expect(mail.text?.trim()).toBe('Thanks.');
  });

  const targets: [string, string[], string[] | null][] = [
    ['Reply-To goes before From', ['Reply-To: help@example.net'], ['help@example.net']],
    [
      'every mailbox of Reply-To',
      ['Reply-To: A <a@x.example>, b@x.example'],
      ['A <a@x.example>', 'b@x.example'],
    ],
    [
      'a name with a comma',
      ['Reply-To: "b@x.example, Inc" <a@x.example>'],
      ['b@x.example, Inc <a@x.example>'],
    ],
    ['a domain that is not ASCII', ['Reply-To: a@bücher.example'], ['a@xn--bcher-kva.example']],
    ['what nobody could write to is left out', ['Reply-To: nonsense, a@x.example'], ['a@x.example']],
    ['an empty Reply-To is none', ['Reply-To: '], ['Ann Lee <ann@example.org>']],
    ['a Reply-To to nobody', ['Reply-To: nonsense'], null],
    ['a Reply-To of a group without members', ['Reply-To: undisclosed-recipients:;'], null],
    ['oneself is left out beside others', [`Reply-To: ${DESK}, a@x.example`], ['a@x.example']],
    ['oneself, when there is nobody else', [`Reply-To: ${DESK}`], [DESK]],
  ];
  for (const [what, headers, to] of targets) {
    test(`target: ${what}`, async () => {
      const answer = await reply([...plain, ...headers]);
      if (to === null) expect(verdict(answer)).toBe('422 reply_target_invalid');
      else expect(answer.json.data.to).toEqual(to);
    });
  }

  test('to a message stored by an older version goes to the address stored with it', async () => {
    const answer = async (content: Record<string, unknown>) => {
      const id = await sender.appliance.deliver(DESK, { from: 'Ann <ann@example.org>', content });
      const path = `/inboxes/${sender.inbox.id}/messages/${id}/reply`;
      return (await sender.post(path, { body_text: 'x' })).json.data.to;
    };
    expect(await answer({})).toEqual(['Ann <ann@example.org>']);
    expect(await answer({ reply_to: 'Lee, Ann <help@example.org>' })).toEqual([
      'Lee, Ann <help@example.org>',
    ]);
  });

  test('to a mail without a sender has no target', async () => {
    for (const headers of [['Subject: x'], ['From: ', 'Subject: x'], ['From: MAILER-DAEMON', 'Subject: x']]) {
      expect(verdict(await reply(headers))).toBe('422 reply_target_invalid');
    }
  });

  test('to all leaves out itself and duplicates, however they are written', async () => {
    const answer = await reply(
      [
        'From: Ann <ann@example.org>',
        `To: Desk <DESK+tag@Shop.Example>, bob@example.org, ANN@example.org`,
        'Cc: Cy <cy@example.org>, Bob <BOB@example.org>, nonsense',
        'Subject: x',
      ],
      { reply_all: true, cc: ['Dee <dee@example.org>', 'cy@example.org'] },
    );
    expect(answer.json.data).toMatchObject({
      to: ['Ann <ann@example.org>'],
      cc: ['Dee <dee@example.org>', 'cy@example.org', 'bob@example.org'],
    });
  });

  test('to the sender alone leaves the others out', async () => {
    const headers = ['From: ann@example.org', `To: ${DESK}, bob@example.org`, 'Cc: cy@example.org'];
    const answer = await reply(headers, { cc: ['dee@example.org'] });
    expect(answer.json.data.recipients.map(({ email }: { email: string }) => email)).toEqual([
      'ann@example.org',
      'dee@example.org',
    ]);
  });

  test('to too many is refused', async () => {
    const others = Array.from({ length: 10 }, (_, index) => `a${index}@example.org`);
    const headers = ['From: ann@example.org', `To: ${others.join(', ')}`];
    expect(verdict(await reply(headers, { reply_all: true }))).toBe('422 validation_error to');
    expect(verdict(await reply(headers, { cc: others }))).toBe('422 validation_error to');
    expect(verdict(await reply(headers, { cc: others.slice(1) }))).toBe('201');
  });

  test('to a suppressed or an unapproved sender is refused', async () => {
    await using own = await Sender.start();
    const deliver = (from: string) =>
      own.appliance.deliver(own.inbox.address, { content: { answer_to: [from] } });
    suppressRecipient(own.appliance, own.owner.account.no, 'gone@example.org');
    const answer = async (from: string) =>
      own.post(`/inboxes/${own.inbox.id}/messages/${await deliver(from)}/reply`, { body_text: 'x' });
    expect(verdict(await answer('gone@example.org'))).toBe('422 recipient_rejected to');
    expect(verdict(await own.post('/outbound_allowlist/mode', { enabled: true }))).toBe('200');
    expect(verdict(await answer('ann@example.org'))).toBe('422 recipient_not_approved to');
  });

  const threads: [string, string[], string | undefined, string[]][] = [
    ['none without a Message-ID', [], undefined, []],
    ['none of a malformed one', ['Message-ID: order 1'], undefined, []],
    ['none of one without a domain', ['Message-ID: <order>'], undefined, []],
    ['none of one that is not ASCII', ['Message-ID: <ü@example.org>'], undefined, []],
    ['none of an endless one', [`Message-ID: <${'x'.repeat(600)}@example.org>`], undefined, []],
    [
      'the conversation goes on',
      ['Message-ID: <3@x>', 'References: <1@x>', ' <2@x>'],
      '<3@x>',
      ['<1@x>', '<2@x>', '<3@x>'],
    ],
    [
      'what is malformed falls out',
      ['Message-ID: <3@x>', 'References: 1 <2@x> <<>> <2@>'],
      '<3@x>',
      ['<2@x>', '<3@x>'],
    ],
  ];
  for (const [what, headers, inReplyTo, references] of threads) {
    test(`thread: ${what}`, async () => {
      const mail = await read(await reply(['From: ann@example.org', ...headers]));
      expect(mail.inReplyTo).toBe(inReplyTo);
      expect([mail.references ?? []].flat()).toEqual(references);
    });
  }

  test('in a very long thread keeps the first reference and the last ones', async () => {
    const ids = Array.from({ length: 400 }, (_, index) => `<${index}-${'x'.repeat(60)}@example.org>`);
    const mail = await read(await reply([...plain, `References: ${ids.join('\r\n ')}`]));
    const kept = [mail.references].flat();
    expect(kept[0]).toBe(ids[0]!);
    expect(kept.slice(-2)).toEqual([ids.at(-1), '<order-1@example.org>']);
    expect(kept.length).toBeLessThan(40);
  });

  const subjects = [
    ['Your order', 'Re: Your order'],
    ['Re: Your order', 'Re: Your order'],
    ['RE: Your order', 'RE: Your order'],
    ['Re[2]: Your order', 'Re[2]: Your order'],
    ['Fwd: Your order', 'Re: Fwd: Your order'],
    ['Regarding: you', 'Re: Regarding: you'],
    ['=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Re: Grüße'],
    ['', 'Re:'],
  ];
  for (const [original = '', expected = ''] of subjects) {
    test(`has the subject ${expected} for ${original}`, async () => {
      const answer = await reply(['From: ann@example.org', `Subject: ${original}`]);
      expect(answer.json.data.subject).toBe(expected);
      expect((await read(answer)).subject).toBe(expected);
    });
  }

  const bad: [Record<string, unknown>, string][] = [
    [{ body_text: undefined }, 'body_text'],
    [{ body_text: '' }, 'body_text'],
    [{ reply_all: 'yes' }, 'reply_all'],
    [{ cc: 'a@x.example' }, 'cc'],
    [{ cc: ['a'] }, 'cc'],
    [{ to: ['a@x.example'] }, 'to'],
    [{ subject: 'x' }, 'subject'],
  ];
  for (const [fields, field] of bad) {
    test(`is refused with ${JSON.stringify(fields)}`, async () => {
      expect(verdict(await reply(plain, fields))).toBe(`422 validation_error ${field}`);
    });
  }
});

describe('a composed email', () => {
  const compose = (fields: Record<string, unknown>) =>
    sender.post(`/inboxes/${sender.inbox.id}/compose`, {
      to: ['ann@example.org'],
      subject: 'Hello',
      body_html: '<p>x</p>',
      ...fields,
    });

  test("comes from the inbox's own address", async () => {
    const answer = await compose({ cc: ['bob@example.org'] });
    expect(structuredClone(answer.json.data)).toMatchObject({
      kind: 'compose',
      inbox_id: sender.inbox.id,
      from_address: DESK,
      reply_to: null,
      to: ['ann@example.org'],
      cc: ['bob@example.org'],
      subject: 'Hello',
    });
    const mail = await read(answer);
    expect([mail.subject, String(mail.html).trim()]).toEqual(['Hello', '<p>x</p>']);
    // Only what was sent: no text is derived from the HTML.
    expect(sender.mime(answer).toString()).not.toContain('text/plain');
    expect(mail.references).toBeUndefined();
  });

  test('accepts no other sender, and no bcc', async () => {
    for (const field of ['from_address', 'bcc', 'reply_to']) {
      expect(verdict(await compose({ [field]: 'a@x.example' }))).toBe(`422 validation_error ${field}`);
    }
    for (const field of ['to', 'subject', 'body_html']) {
      const named = field === 'body_html' ? 'body_text' : field;
      expect(verdict(await compose({ [field]: undefined }))).toBe(`422 validation_error ${named}`);
    }
  });
});

describe('an inbox or message that is not there', () => {
  test('gets the same 404, whatever the reason', async () => {
    const path = await arrive(plain);
    const message = path.split('/').at(-1);
    const second = await sender.inboxNamed('second');
    const other = await sender.appliance.holder();
    const foreign = await sender.appliance.inbox(other);
    const theirs = await sender.appliance.deliver(foreign.address);
    const misses = [
      `/inboxes/inbox_x/messages/${message}`,
      `/inboxes/${sender.inbox.id}/messages/msg_x`,
      // In another inbox of the same account.
      `/inboxes/${second.id}/messages/${message}`,
      `/inboxes/${foreign.id}/messages/${theirs}`,
      `/inboxes/${sender.inbox.id}/messages/${theirs}`,
      `/inboxes/${foreign.id}/messages/${message}`,
    ];
    const bodies = new Set<string>();
    for (const miss of misses) {
      for (const [what, body] of [
        ['reply', { body_text: 'x' }],
        ['forward', { to: ['a@x.example'] }],
      ] as const) {
        const answer = await sender.post(`${miss}/${what}`, body);
        expect([miss, what, verdict(answer)]).toEqual([miss, what, '404 not_found']);
        const { request_id: _, ...rest } = answer.json.error;
        bodies.add(JSON.stringify(rest));
      }
    }
    const compose = { to: ['a@x.example'], subject: 'x', body_text: 'x' };
    for (const id of ['inbox_x', foreign.id]) {
      expect(verdict(await sender.post(`/inboxes/${id}/compose`, compose))).toBe('404 not_found');
    }
    expect(bodies.size).toBe(1);
  });

  test('is reported after mistakes in the body', async () => {
    expect(verdict(await sender.post('/inboxes/inbox_x/messages/msg_x/reply', {}))).toBe(
      '422 validation_error body_text',
    );
  });

  test('an inbox may be named by its address', async () => {
    const path = (await arrive(plain)).replace(sender.inbox.id, encodeURIComponent(DESK));
    expect(verdict(await sender.post(`${path}/reply`, { body_text: 'x' }))).toBe('201');
  });
});
