/** The load of a soak: mail at a steady rate, with waits, streams, searches, deletions and short-lived inboxes. */

import { SseClient } from '../../test/features/waits/sse-client.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { type Inbox, listMessages, makeInbox, type Stage } from '../storm/stage.ts';

const SENDERS = 16;
const WAITERS = 6;
const STREAMS = 4;
/** The number of inboxes. The first have waits, the next streams, and in the last messages are deleted. */
const INBOXES = 20;
const DELETED_FROM = WAITERS + STREAMS;
const MAILS_PER_CONNECTION = 50;
const STREAM_MS_MAX = 20_000;
/** Time for streams to show the last mail. */
const DRAIN_MS_MAX = 20_000;

export class SoakLoad {
  readonly counts = { sent: 0, waits: 0, events: 0, deleted: 0, searches: 0, inboxes: 0 };
  /** Time of each mail's 250 by its number, milliseconds since 1970. */
  readonly accepted = new Map<number, number>();
  readonly deleted = new Set<number>();
  /** Answers that only a server error explains, with their counts. */
  readonly wrong = new Map<string, number>();
  /** The numbers of the mails that streams have shown. */
  private readonly streamed = new Set<number>();
  slowestMs = 0;
  private next = 0;
  private sendingIsOver = false;
  private stopping = false;
  private senders: Promise<void>[] = [];
  private others: Promise<void>[] = [];
  private readonly openStreams = new Set<SseClient>();
  private inboxes: Inbox[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly rate: number,
  ) {}

  async start(): Promise<void> {
    const { server, apiKey } = this.stage;
    for (let count = 0; count < INBOXES; count++) this.inboxes.push(await makeInbox(server, apiKey));
    const beganMs = performance.now();
    const repeat = (count: number, work: (index: number) => Promise<void>, isSender = false) =>
      Array.from({ length: count }, (_, index) => this.keepOn(() => work(index), isSender));
    this.senders = repeat(SENDERS, () => this.sendSome(beganMs), true);
    this.others = [
      ...repeat(WAITERS, (index) => this.wait(this.inboxes[index]!)),
      ...repeat(STREAMS, (index) => this.stream(this.inboxes[WAITERS + index]!)),
      ...repeat(1, () => this.deleteSome()),
      ...repeat(1, () => this.search()),
      ...repeat(1, () => this.churn()),
    ];
  }

  async stop(): Promise<void> {
    this.sendingIsOver = true;
    await Promise.all(this.senders);
    // The streams' last events may still be in transit.
    const untilMs = performance.now() + DRAIN_MS_MAX;
    while (this.findUnstreamed().length > 0 && performance.now() < untilMs) await Bun.sleep(100);
    this.stopping = true;
    for (const client of this.openStreams) client.close();
    await Promise.all(this.others);
  }

  private findUnstreamed(): number[] {
    return [...this.accepted.keys()].filter(
      (number) => isStreamed(number % INBOXES) && !this.streamed.has(number),
    );
  }

  /**
   * Compares the accepted mails with what is stored and was streamed. `lost` has the numbers of those that are missing,
   * though not deleted and not older than the retention limit; `kept` is how many are stored.
   */
  async takeStock(): Promise<{ lost: number[]; doubled: number[]; unstreamed: number[]; kept: number }> {
    const found = new Map<number, number>();
    let oldestMs = Number.POSITIVE_INFINITY;
    const { server, apiKey } = this.stage;
    for (const { id } of this.inboxes) {
      for await (const { subject, received_at } of listMessages(server, apiKey, id)) {
        const number = readNumber(subject);
        found.set(number, (found.get(number) ?? 0) + 1);
        oldestMs = Math.min(oldestMs, Date.parse(received_at));
      }
    }
    return {
      // Retention erases the oldest mail of all inboxes first, and the 250 follows the commit that sets the time.
      lost: [...this.accepted].flatMap(([number, atMs]) =>
        found.has(number) || this.deleted.has(number) || atMs < oldestMs + 2_000 ? [] : [number],
      ),
      doubled: [...found].flatMap(([number, times]) => (times > 1 ? [number] : [])),
      unstreamed: this.findUnstreamed(),
      kept: found.size,
    };
  }

  private async keepOn(work: () => Promise<void>, isSender = false): Promise<void> {
    const isOver = () => this.stopping || (this.sendingIsOver && isSender);
    while (!isOver()) {
      try {
        await work();
      } catch (fault) {
        this.noteWrong(String(fault).slice(0, 100));
        await Bun.sleep(200);
      }
    }
  }

  private noteWrong(what: string): void {
    this.wrong.set(what, (this.wrong.get(what) ?? 0) + 1);
  }

  /** Sends each mail at its time, over one connection. */
  private async sendSome(beganMs: number): Promise<void> {
    using client = await SmtpClient.greet({ port: this.stage.smtpPort, timeoutMs: 30_000 });
    for (let count = 0; count < MAILS_PER_CONNECTION && !this.sendingIsOver; count++) {
      const number = this.next++;
      const earlyMs = beganMs + (number / this.rate) * 1000 - performance.now();
      if (earlyMs > 0) await Bun.sleep(earlyMs);
      const sentMs = performance.now();
      this.counts.sent++;
      await client.deliver('soak@example.org', this.inboxes[number % INBOXES]!.address, composeMail(number));
      this.accepted.set(number, Date.now());
      this.slowestMs = Math.max(this.slowestMs, performance.now() - sentMs);
    }
  }

  private async wait({ id }: Inbox): Promise<void> {
    let since = '';
    while (!this.stopping) {
      const answer = await this.call('GET', `/inboxes/${id}/messages/wait?timeout=5${since}`);
      this.counts.waits++;
      if (answer.status === 200) since = `&since=${(answer.json as { data: { id: string } }).data.id}`;
      else if (answer.status !== 204) throw new Error(`a wait was answered ${answer.status}`);
    }
  }

  /** Reconnects occasionally and continues after the last event: none may be missing. */
  private async stream({ id }: Inbox): Promise<void> {
    let last = '';
    while (!this.stopping) {
      const url = `${this.stage.server.ready.http}/api/v1/inboxes/${id}/stream?require=message&since=0`;
      const headers = { authorization: `Bearer ${this.stage.apiKey}` };
      const client = await SseClient.open(url, last ? { ...headers, 'last-event-id': last } : headers);
      if (client.status !== 200) throw new Error(`a stream was answered ${client.status}`);
      this.openStreams.add(client);
      const untilMs = performance.now() + Math.random() * STREAM_MS_MAX;
      for (;;) {
        const event = await client.next();
        if (event?.data && event.id) {
          last = event.id;
          this.counts.events++;
          this.streamed.add(readNumber((JSON.parse(event.data) as { subject: string }).subject));
        }
        if (!event || performance.now() > untilMs || this.stopping) break;
      }
      this.openStreams.delete(client);
      client.close();
    }
  }

  private async deleteSome(): Promise<void> {
    const { id } = this.inboxes[DELETED_FROM + Math.floor(Math.random() * (INBOXES - DELETED_FROM))]!;
    const listed = await this.call('GET', `/inboxes/${id}/messages?limit=30`);
    const { data } = listed.json as { data: { id: string; subject: string }[] };
    const [single, ...others] = data;
    // Recorded first: a deleted mail is not lost, whatever the answer.
    for (const { subject } of data) this.deleted.add(readNumber(subject));
    if (single) await this.expect(204, 'DELETE', `/messages/${single.id}`, undefined);
    const ids = others.map((one) => one.id);
    if (ids.length > 0) await this.expect(200, 'POST', '/messages/batch', { action: 'delete', ids });
    this.counts.deleted += data.length;
    await Bun.sleep(500);
  }

  private async search(): Promise<void> {
    const { id } = this.inboxes[Math.floor(Math.random() * INBOXES)]!;
    const number = Math.floor(Math.random() * (this.next + 1));
    await this.expect(200, 'GET', `/inboxes/${id}/messages?q=soak-${number}.`, undefined);
    this.counts.searches++;
    await Bun.sleep(300);
  }

  private async churn(): Promise<void> {
    const { id } = await makeInbox(this.stage.server, this.stage.apiKey);
    await Bun.sleep(1000);
    await this.expect(204, 'DELETE', `/inboxes/${id}`, undefined);
    this.counts.inboxes++;
  }

  private async expect(status: number, method: string, path: string, body: unknown): Promise<void> {
    const answer = await this.call(method, path, body);
    if (answer.status !== status) throw new Error(`${method} was answered ${answer.status}, not ${status}`);
  }

  private async call(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${this.stage.server.ready.http}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.stage.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : null };
  }
}

const isStreamed = (inbox: number) => inbox >= WAITERS && inbox < WAITERS + STREAMS;

function readNumber(subject: string): number {
  return Number(/^soak-(\d+)\.$/.exec(subject)?.[1] ?? Number.NaN);
}

/** Composes mostly short mails with a code, some HTML, some with an attachment, and a few that are spooled to a file. */
function composeMail(number: number): string {
  const head = `From: app@example.org\r\nSubject: soak-${number}.\r\n`;
  const code = `Your code is ${100_000 + ((number * 7919) % 900_000)}`;
  if (number % 400 === 9) return `${head}\r\n${code}\r\n${`${makeNoise(54)}\r\n`.repeat(4_000)}`;
  if (number % 50 === 7) {
    const part = `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="a.bin"\r\n`;
    const lines = Array.from({ length: 300 }, () => makeNoise(54)).join('\r\n');
    return `${head}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${code}\r\n--b\r\n${part}Content-Transfer-Encoding: base64\r\n\r\n${lines}\r\n--b--\r\n`;
  }
  if (number % 10 === 3) {
    return `${head}MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>${code}</p><p>${makeNoise(300)}</p>\r\n`;
  }
  return `${head}\r\n${code}\r\n\r\n${makeNoise(200)}\r\n`;
}

function makeNoise(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64');
}
