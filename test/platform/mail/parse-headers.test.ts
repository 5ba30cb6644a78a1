/** What remains of a message that the parser gives up on. */
import { describe, expect, test } from 'bun:test';
import { parseHeaders, parseMail } from '../../../src/platform/mail/parse.ts';

/** The whole result in one object. */
async function parse(mail: string) {
  const { summary, content } = await parseMail(Buffer.from(mail));
  return { ...summary, ...content };
}

describe('headers alone', () => {
  test('are what remains of a message that can’t be parsed, with status failed', async () => {
    const mail = await parse(
      `Subject: s\r\nFrom: a@example.org\r\nX: ${'y'.repeat(200_000)}\r\n\r\nbody\r\n`,
    );
    expect(mail).toMatchObject({
      status: 'failed',
      subject: 's',
      from: 'a@example.org',
      text: '',
      truncated: true,
    });
  });

  test('yield no body, whatever type they announce', async () => {
    for (const type of ['text/plain', 'text/html', 'application/pdf', 'multipart/mixed; boundary=b']) {
      const { summary, content } = await parseHeaders(
        Buffer.from(`Subject: s\r\nContent-Type: ${type}\r\n\r\n--b\r\n\r\nbody\r\n`),
      );
      expect(summary).toMatchObject({ status: 'failed', subject: 's', has_html: false, attachment_count: 0 });
      expect(content).toMatchObject({ text: '', html: '', attachments: [], truncated: true });
    }
  });

  test('never throw', async () => {
    for (const bytes of [
      '',
      '\0'.repeat(70_000),
      ':'.repeat(70_000),
      '\r\n'.repeat(70_000),
      '=?'.repeat(40_000),
    ]) {
      const { summary } = await parseHeaders(Buffer.from(bytes));
      expect(summary.status).toBe('failed');
    }
  });
});
