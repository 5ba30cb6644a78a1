/**
 * Rules that forward in circles, mailed through over real SMTP: each forward leaves by our sender and comes back to our
 * own SMTP port. Each circle ends, the diary of the message where it ends says why, and every inbox has the mail.
 */
import { describe, expect, test } from 'bun:test';
import { mxHost } from '../../../src/platform/core/settings.ts';
import { startMailServer, type TakenMail } from '../../peers/mail-server.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import type { Holder } from '../../start.ts';
import { until } from '../../until.ts';
import { readyDomain } from '../domains/ready.ts';
import {
  FROM_DOMAIN,
  type SendingServer,
  setExchanger,
  startSendingServer,
} from '../outbound/sending-server.ts';
import { type DiaryLine, makeRaw } from './forwarding.ts';

/** Accounts with a domain each, whose mail comes back to this server. */
class Circle implements AsyncDisposable {
  private readonly holders = new Map<string, Holder>();

  private constructor(readonly sender: SendingServer) {}

  static async start(settings: Record<string, string> = {}): Promise<Circle> {
    const circle = new Circle(await startSendingServer({ settings }));
    await circle.join(FROM_DOMAIN, circle.sender.owner);
    return circle;
  }

  /** An account with this domain and an inbox desk@ on it. */
  async join(domain: string, known?: Holder): Promise<string> {
    const { appliance, dns } = this.sender;
    const holder = known ?? (await appliance.holder());
    this.holders.set(domain, holder);
    if (!known) await readyDomain(appliance.services, holder.account.no, domain);
    setExchanger(dns, domain, `10 ${mxHost(appliance.services.settings)}`);
    return this.inbox(`desk@${domain}`);
  }

  async inbox(address: string): Promise<string> {
    const [routingKey, domain = ''] = address.split('@');
    const { data } = (await this.call(domain, 'GET', '/domains')).json;
    const created = await this.sender.appliance.inbox(this.holders.get(domain)!, {
      domain: data[0].id,
      routing_key: routingKey,
    });
    return created.address;
  }

  call(domain: string, method: string, path: string, body?: unknown) {
    const { key } = this.holders.get(domain)!;
    return this.sender.appliance.request(method, `/api/v1${path}`, { key, body });
  }

  /** The account of a domain forwards what comes to one of its inboxes. */
  async forward(from: string, to: string[]): Promise<void> {
    const domain = from.slice(from.indexOf('@') + 1);
    for (const email of to) await this.call(domain, 'POST', '/outbound_allowlist', { email });
    const created = await this.call(domain, 'POST', '/rules', { inbox_id: from, forward_to: to });
    if (created.status !== 201) throw new Error(created.text);
  }

  async mail(to: string, raw = makeRaw()): Promise<void> {
    const { data } = await sendMail({
      port: this.sender.appliance.smtpPort,
      from: 'bob@else.test',
      to: [to],
      raw,
    });
    expect(data?.code).toBe(250);
  }

  async messages(address: string): Promise<{ id: string; subject: string }[]> {
    const domain = address.slice(address.indexOf('@') + 1);
    return (await this.call(domain, 'GET', `/inboxes/${address}/messages?limit=100`)).json.data;
  }

  /** The results of the forwards of an inbox's messages, oldest first. */
  async lines(address: string): Promise<DiaryLine[]> {
    const domain = address.slice(address.indexOf('@') + 1);
    const lines: DiaryLine[] = [];
    for (const { id } of (await this.messages(address)).toReversed())
      lines.push(...(await this.call(domain, 'GET', `/messages/${id}/diary`)).json.data);
    return lines;
  }

  /** Resolves when nothing is in progress any more: forwards are written, sent and received one after another. */
  async end(): Promise<void> {
    const isOver = async (domain: string) => {
      const { data } = (await this.call(domain, 'GET', '/outbound_emails?limit=100')).json;
      const lines = await this.listLines(domain);
      const isQuiet = (status: string) => !['pending', 'queued', 'sending'].includes(status);
      return [...data, ...lines].every(({ status }) => isQuiet(status)) ? data.length + lines.length : -1;
    };
    let before = '';
    for (;;) {
      const now = (await Promise.all([...this.holders.keys()].map(isOver))).join();
      if (now === before && !now.includes('-1')) return;
      before = now;
      await Bun.sleep(20);
    }
  }

  private async listLines(domain: string): Promise<DiaryLine[]> {
    const lines: DiaryLine[] = [];
    for (const { id } of (await this.call(domain, 'GET', '/messages?limit=100')).json.data)
      lines.push(...(await this.call(domain, 'GET', `/messages/${id}/diary`)).json.data);
    return lines;
  }

  [Symbol.asyncDispose]() {
    return this.sender[Symbol.asyncDispose]();
  }
}

const over = (lines: readonly DiaryLine[]) => lines.map(({ status, detail }) => `${status} ${detail}`);
const LOOP = 'a loop: this inbox has forwarded the mail before';

describe('a mail that is forwarded in a circle', () => {
  test('by rules of two accounts reaches each at most twice, and the diary says where it ended', async () => {
    await using circle = await Circle.start();
    await circle.join('b.test');
    await circle.forward('desk@shop.test', ['desk@b.test']);
    await circle.forward('desk@b.test', ['desk@shop.test']);
    await circle.mail('desk@shop.test');
    await circle.end();
    const first = await circle.lines('desk@shop.test');
    expect(over(first)).toEqual(['done desk@b.test', 'refused desk@b.test']);
    expect(first[1]!.reason).toBe(LOOP);
    expect(over(await circle.lines('desk@b.test'))).toEqual(['done desk@shop.test']);
    expect((await circle.messages('desk@shop.test')).map(({ subject }) => subject)).toEqual([
      'Invoice',
      'Invoice',
    ]);
  });

  test('by rules of three accounts goes round once', async () => {
    await using circle = await Circle.start();
    for (const domain of ['b.test', 'c.test']) await circle.join(domain);
    await circle.forward('desk@shop.test', ['desk@b.test']);
    await circle.forward('desk@b.test', ['desk@c.test']);
    await circle.forward('desk@c.test', ['desk@shop.test']);
    await circle.mail('desk@shop.test');
    await circle.end();
    const first = await circle.lines('desk@shop.test');
    expect(over(first)).toEqual(['done desk@b.test', 'refused desk@b.test']);
    expect(first[1]!.reason).toBe(LOOP);
    for (const domain of ['b.test', 'c.test'])
      expect(await circle.messages(`desk@${domain}`)).toHaveLength(1);
  });

  test('through a catch-all or a sub-address comes back to the same inbox only once', async () => {
    await using circle = await Circle.start();
    await circle.join('b.test');
    const { data } = (await circle.call('shop.test', 'GET', '/domains')).json;
    const catchAll = { catch_all: true, inbox_id: null };
    const on = await circle.call('shop.test', 'PATCH', `/domains/${data[0].id}/catch_all`, catchAll);
    const target = (await circle.call('shop.test', 'GET', `/inboxes/${on.json.data.catch_all_inbox_id}`)).json
      .data;
    await circle.forward(target.address, ['anybody@shop.test']);
    await circle.mail('somebody@shop.test');
    await circle.forward('desk@shop.test', ['desk+shop@b.test']);
    await circle.forward('desk@b.test', ['desk+b@shop.test']);
    await circle.mail('desk+in@shop.test');
    await circle.end();
    const caught = await circle.lines(target.address);
    expect(over(caught)).toEqual(['done anybody@shop.test', 'refused anybody@shop.test']);
    const tagged = await circle.lines('desk@shop.test');
    expect(over(tagged)).toEqual(['done desk+shop@b.test', 'refused desk+shop@b.test']);
    expect([caught[1]!.reason, tagged[1]!.reason]).toEqual([LOOP, LOOP]);
  });

  test('is stopped even if it has no Message-ID', async () => {
    await using circle = await Circle.start();
    await circle.join('b.test');
    await circle.forward('desk@shop.test', ['desk@b.test']);
    await circle.forward('desk@b.test', ['desk@shop.test']);
    await circle.mail('desk@shop.test', 'From: bob@else.test\r\nSubject: Bare\r\n\r\nHello\r\n');
    await circle.end();
    expect((await circle.lines('desk@shop.test')).map(({ reason }) => reason)).toEqual([null, LOOP]);
  });

  test('through a relay is stopped, even if the relay changes its Message-ID each time', async () => {
    let circle: Circle | null = null;
    let isRenamed = false;
    let number = 0;
    const received = 'Received: from a by relay.test; Sat, 21 Nov 2026 08:00:00 +0000\r\n';
    await using relay = await startMailServer({
      async onMessage({ from, to, data }) {
        const named = isRenamed
          ? data.replace(/^Message-ID: .*\r\n/m, `Message-ID: <${number++}@relay.test>\r\n`)
          : data;
        const port = circle!.sender.appliance.smtpPort;
        const { data: said } = await sendMail({
          port,
          from,
          to,
          raw: Buffer.from(received + named, 'latin1'),
        });
        return `${said?.code ?? 451} relayed`;
      },
    });
    circle = await Circle.start({ outbound: `smtp://127.0.0.1:${relay.port}` });
    await using _ = circle;
    await circle.join('b.test');
    await circle.forward('desk@shop.test', ['desk@b.test']);
    await circle.forward('desk@b.test', ['desk@shop.test']);
    await circle.mail('desk@shop.test');
    await circle.end();
    expect((await circle.lines('desk@shop.test')).map(({ reason }) => reason)).toEqual([null, LOOP]);
    isRenamed = true;
    await circle.mail('desk@shop.test', makeRaw('Renamed'));
    await circle.end();
    const lines = [...(await circle.lines('desk@shop.test')), ...(await circle.lines('desk@b.test'))];
    const refused = lines.filter(({ status }) => status === 'refused').map(({ reason }) => reason);
    expect(refused).toEqual([LOOP, expect.stringContaining('Received lines')]);
    expect(lines.length).toBeLessThan(25);
  });
});

/** What the server of far.test, where ann@ reads her mail, sends after each mail to her. */
function answerEach(
  circle: Circle,
  write: (mail: TakenMail, field: (name: string) => string) => Answer,
): void {
  const { far, appliance } = circle.sender;
  far.options = {
    onMessage(mail) {
      const field = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'mi').exec(mail.data)?.[1] ?? '';
      const { to, raw } = write(mail, field);
      setTimeout(() => sendMail({ port: appliance.smtpPort, from: '', to: [to], raw }), 1);
      return null;
    },
  };
}

interface Answer {
  to: string;
  raw: string;
}

const vacation = (references: string) =>
  [
    'From: Ann <ANN@far.test>',
    'Subject: Out of office',
    `Message-ID: <${crypto.randomUUID()}@far.test>`,
    `In-Reply-To: ${references}`,
    'Auto-Submitted: auto-replied (vacation)',
    '',
    'I am away.\r\n',
  ].join('\r\n');

describe('an automatic answer to a forward', () => {
  test('goes to nobody when it is sent to the envelope sender, as RFC 3834 says', async () => {
    await using circle = await Circle.start();
    await circle.forward('desk@shop.test', ['ann@far.test']);
    answerEach(circle, ({ from }, field) => ({ to: from, raw: vacation(field('Message-ID')) }));
    await circle.mail('desk@shop.test');
    await circle.end();
    expect(circle.sender.far.mails).toHaveLength(1);
    expect(over(await circle.lines('desk@shop.test'))).toEqual(['done ann@far.test']);
  });

  test('that is sent to the inbox is kept, and not forwarded to the one who answered', async () => {
    await using circle = await Circle.start();
    await circle.call('shop.test', 'POST', '/outbound_allowlist', { email: 'bea@far.test' });
    await circle.forward('desk@shop.test', ['ann@far.test', 'bea@far.test']);
    answerEach(circle, ({ to }, field) =>
      to.includes('ann@far.test')
        ? { to: field('Resent-From'), raw: vacation(field('Message-ID')) }
        : { to: 'abuse@localhost', raw: makeRaw() },
    );
    await circle.mail('desk@shop.test');
    await circle.end();
    const lines = await circle.lines('desk@shop.test');
    expect(over(lines)).toEqual([
      ...['done ann@far.test', 'done bea@far.test'],
      ...['refused ann@far.test', 'done bea@far.test'],
    ]);
    expect(lines[2]!.reason).toBe('a loop: it is an automatic answer of ann@far.test');
    expect(await circle.messages('desk@shop.test')).toHaveLength(2);
  });
});

describe('a forward that bounces', () => {
  const report = (recipient: string, to: string) =>
    [
      'From: Mail Delivery System <MAILER-DAEMON@far.test>',
      `To: ${to}`,
      'Subject: Undelivered Mail Returned to Sender',
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      ...['', '--b', 'Content-Type: text/plain', '', 'No such user.', '--b'],
      ...['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; far.test', ''],
      ...[`Final-Recipient: rfc822; ${recipient}`, 'Action: failed', 'Status: 5.1.1', '', '--b--', ''],
    ].join('\r\n');

  test('marks its email as bounced, suppresses the address, and causes no new mail', async () => {
    await using circle = await Circle.start();
    await circle.forward('desk@shop.test', ['ann@far.test']);
    answerEach(circle, ({ from, to }) => ({ to: from, raw: report(to[0]!, from) }));
    await circle.mail('desk@shop.test');
    const read = async () => (await circle.call('shop.test', 'GET', '/outbound_emails')).json.data;
    await until(async () => (await read())[0]?.status === 'bounced');
    await circle.mail('desk@shop.test', makeRaw('Second'));
    await circle.end();
    expect(circle.sender.far.mails).toHaveLength(1);
    expect(await circle.messages('desk@shop.test')).toHaveLength(2);
    const lines = await circle.lines('desk@shop.test');
    expect(over(lines)).toEqual(['done ann@far.test', 'refused ann@far.test']);
    expect(lines[1]!.reason).toContain('recipient_rejected');
  });

  test('is ended by the hourly quota if a server wrongly reports it to the inbox', async () => {
    await using circle = await Circle.start({ plan_business_outbound_recipients_per_hour: '6' });
    await circle.forward('desk@shop.test', ['ann@far.test']);
    answerEach(circle, ({ to }, field) => {
      const inbox = field('Resent-From');
      return { to: inbox, raw: report(to[0]!, inbox) };
    });
    await circle.mail('desk@shop.test');
    await until(async () => (await circle.messages('desk@shop.test')).length === 7);
    await circle.end();
    const lines = await circle.lines('desk@shop.test');
    expect(over(lines.slice(0, 6))).toEqual(Array(6).fill('done ann@far.test'));
    expect(lines[6]!.reason).toContain('outbound_quota_exceeded');
    expect(circle.sender.far.mails).toHaveLength(6);
  });
});
