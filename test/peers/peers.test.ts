import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { until } from '../until.ts';
import { FakeClock } from './fake-clock.ts';
import { haveNode, sendUnderNode } from './node-mailer.ts';
import { dotStuff, SmtpClient, sendMail } from './smtp-client.ts';
import { haveSwaks, swaks } from './swaks.ts';

/** Undoes dot-stuffing, as an SMTP server does with the bytes after 354 (RFC 5321 4.5.2). */
function unstuff(wire: Buffer): string {
  const text = wire.toString('latin1');
  return text.slice(0, -3).replace(/(^|\r\n)\./g, '$1');
}

/** Bytes with many dots and line ends, alone and together. */
const mailBytes = fc
  .array(fc.constantFrom('.', '\r', '\n', '\r\n', '.\r\n', '\r\n.\r\n', '\n.\n', 'a', '\0', '\xff', ' '))
  .map((pieces) => pieces.join(''));

describe('dotStuff', () => {
  test('returns every message whole, except for a CRLF at its end', () => {
    fc.assert(
      fc.property(mailBytes, (raw) => {
        const bytes = Buffer.from(raw, 'latin1');
        const ended = raw === '' || raw.endsWith('\r\n') ? raw : `${raw}\r\n`;
        expect(unstuff(dotStuff(bytes))).toBe(ended);
      }),
    );
  });

  test('writes the final dot once, at the end', () => {
    fc.assert(
      fc.property(mailBytes, (raw) => {
        const wire = `\r\n${dotStuff(Buffer.from(raw, 'latin1')).toString('latin1')}`;
        expect(wire.indexOf('\r\n.\r\n')).toBe(wire.length - 5);
      }),
    );
  });
});

describe('sending', () => {
  const received: string[] = [];
  /** Waits for a message, because the thread may report it after its sender has ended. */
  const nextMessage = async () => {
    await until(() => received.length !== 0);
    return received.shift();
  };
  const server = new Worker(new URL('./plain-smtp-server.ts', import.meta.url));
  let port = 0;

  beforeAll(async () => {
    const listening = Promise.withResolvers<number>();
    server.onmessage = ({ data }: MessageEvent<number | string>) => {
      if (typeof data === 'number') listening.resolve(data);
      else received.push(data);
    };
    port = await listening.promise;
  });
  afterAll(() => server.terminate());

  test('with our own client delivers bytes unchanged', async () => {
    const raw = '.dot\r\n..\r\nbare\n.\nlf \xff\0\r\n';
    const replies = await sendMail({
      port,
      from: 'a@a.test',
      to: ['b@b.test'],
      raw: Buffer.from(raw, 'latin1'),
    });
    expect(replies.data?.code).toBe(250);
    expect(await nextMessage()).toBe(raw);
  });

  test('with our own client works after STARTTLS', async () => {
    using client = await SmtpClient.greet({ port });
    await client.starttls();
    const reply = await client.say('EHLO client.example', 250);
    expect(reply.lines.join(' ')).not.toContain('STARTTLS');
  });

  test('with our own client reports the text of an unexpected reply', async () => {
    using client = await SmtpClient.greet({ port });
    await expect(client.say('DATA', 354)).rejects.toThrow('expected 354, was answered 503');
  });

  test.skipIf(!haveSwaks())('with swaks delivers a mail', async () => {
    const raw = 'Subject: by swaks\n\nhello\n';
    const { exitCode, output } = await swaks({ port, from: 'a@a.test', to: ['b@b.test'], raw });
    expect(output).toContain('250');
    expect(exitCode).toBe(0);
    expect(await nextMessage()).toContain('Subject: by swaks\r\n');
  });

  test.skipIf(!haveNode())('with nodemailer under Node delivers a mail', async () => {
    const message = { from: 'a@a.test', to: 'b@b.test', subject: 'by nodemailer', text: 'hello' };
    const result = await sendUnderNode({ transport: { port, requireTLS: true }, message });
    expect(result).toMatchObject({ accepted: ['b@b.test'], response_code: null });
    expect(await nextMessage()).toContain('Subject: by nodemailer\r\n');
  });
});

describe('FakeClock', () => {
  test('runs timers in order, each at its own time', async () => {
    const clock = new FakeClock(0);
    const ran: [string, number][] = [];
    const note = (name: string) => () => void ran.push([name, clock.nowUs()]);
    clock.after(30, note('late'));
    clock.after(10, note('early'));
    clock.after(10, () => clock.after(5, note('set meanwhile')));
    clock.after(20, note('cancelled'))();
    await clock.advance(29);
    expect(ran).toEqual([
      ['early', 10_000],
      ['set meanwhile', 15_000],
    ]);
    await clock.advance(1);
    expect(ran.at(-1)).toEqual(['late', 30_000]);
    expect(clock.timersSet).toBe(0);
  });

  test('has let promises that a timer started continue when advance returns', async () => {
    const clock = new FakeClock(0);
    let done = false;
    clock.after(1, async () => {
      await Promise.resolve();
      done = true;
    });
    await clock.advance(1);
    expect(done).toBe(true);
  });

  test('neither runs nor moves a timer when the wall clock is set back', async () => {
    const clock = new FakeClock(1_000_000);
    let runs = 0;
    clock.after(10, () => runs++);
    clock.set(0);
    await clock.advance(9);
    expect(runs).toBe(0);
    await clock.advance(1);
    expect(runs).toBe(1);
  });
});
