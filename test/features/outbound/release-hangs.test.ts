/** Releasing through a smarthost that hangs: it ends in time, and says whether the mail may have been accepted. */
import { describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../peers/mail-server.ts';
import { until } from '../../until.ts';
import { keep, makeCapture, release } from './releasing.ts';

const never = () => new Promise<never>(() => {});
const silent = () => 'silence' as const;

describe('a smarthost that hangs', () => {
  const stalls: [string, MailServerOptions, (peer: MailServer) => boolean][] = [
    ['before its greeting', { greeting: never }, ({ connections }) => connections > 0],
    ['after EHLO', { onEhlo: silent }, ({ said }) => said.some((line) => line.startsWith('EHLO'))],
    ['after AUTH', { onAuth: silent }, ({ said }) => said.some((line) => line.startsWith('AUTH'))],
    ['after MAIL', { onMail: never }, ({ said }) => said.some((line) => line.startsWith('MAIL'))],
    ['after RCPT', { onRcpt: silent }, ({ said }) => said.some((line) => line.startsWith('RCPT'))],
    ['after DATA', { onData: silent }, ({ said }) => said.includes('DATA')],
  ];
  test.each(stalls)('%s is given up after 30 seconds, and nothing was sent', async (_, far, isThere) => {
    await using peer = await startMailServer({ extensions: ['AUTH PLAIN'], ...far });
    const clock = new FakeClock();
    await using capture = await makeCapture(peer, {}, clock);
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    let isAnswered = false;
    const answer = release(capture, id, ['ann@example.com']).finally(() => {
      isAnswered = true;
    });
    await until(() => isThere(peer));
    await clock.advance(29_000);
    expect(isAnswered).toBe(false);
    await clock.advance(1_000);
    const { status, json } = await answer;
    expect([status, json.error.code]).toEqual([409, 'conflict']);
    expect(json.error.message).toContain('it took longer than 30 seconds');
    expect(json.error.message).not.toContain('may have accepted');
    await until(() => peer.open === 0);
    expect(peer.mails).toEqual([]);
  });

  test('after the final dot is given up within a minute, and may have accepted the mail', async () => {
    let isWhole = false;
    const onMessage = () => {
      isWhole = true;
      return never();
    };
    await using peer = await startMailServer({ onMessage });
    const clock = new FakeClock();
    await using capture = await makeCapture(
      peer,
      { release_smarthost: `smtp://127.0.0.1:${peer.port}` },
      clock,
    );
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    let isAnswered = false;
    const answer = release(capture, id, ['ann@example.com']).finally(() => {
      isAnswered = true;
    });
    await until(() => isWhole);
    await clock.advance(54_000);
    expect(isAnswered).toBe(false);
    await clock.advance(1_000);
    const { status, json } = await answer;
    expect([status, json.error.code]).toEqual([409, 'conflict']);
    expect(json.error.message).toBe(
      'The smarthost 127.0.0.1 got the whole mail, but did not say whether it accepts it: it took longer than 55 seconds. It may have accepted it, so check the mailbox of ann@example.com before you release it again.',
    );
    const opened = (await capture.request('GET', `/dashboard/api/messages/${id}`)).json.data;
    expect(opened.releases).toMatchObject([{ to: 'ann@example.com', is_accepted: null }]);
  });

  test('up without a reply to the final dot may have accepted the mail too', async () => {
    await using peer = await startMailServer({ onMessage: () => 'hang up' });
    await using capture = await makeCapture(peer, { release_smarthost: `smtp://127.0.0.1:${peer.port}` });
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    const { status, json } = await release(capture, id, ['ann@example.com']);
    expect([status, json.error.message]).toEqual([409, expect.stringContaining('It may have accepted it')]);
  });

  test('in the middle of a large mail is given up after 30 seconds, and has not accepted it', async () => {
    let isStuck = false;
    const onPiece = (socket: Socket) => {
      socket.pause();
      isStuck = true;
    };
    await using peer = await startMailServer({ extensions: [], onPiece });
    const clock = new FakeClock();
    await using capture = await makeCapture(
      peer,
      { release_smarthost: `smtp://127.0.0.1:${peer.port}` },
      clock,
    );
    const raw = `Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(300_000)}`;
    await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    const id = await capture.deliver('customer@example.net', { raw });
    const answer = release(capture, id, ['ann@example.com']);
    await until(() => isStuck);
    await clock.advance(30_000);
    const { status, json } = await answer;
    expect([status, json.error.message]).toEqual([
      409,
      'The smarthost refused the mail: it took longer than 30 seconds',
    ]);
  });
});
