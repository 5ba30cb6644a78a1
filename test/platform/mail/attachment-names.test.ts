/** How many attachments are listed of a mail whose names are long. */
import { expect, test } from 'bun:test';
import { ATTACHMENT_CHARS_MAX } from '../../../src/platform/mail/bounds.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';

test('attachments are listed until their names are longer than a read can bear', async () => {
  const name = 'x'.repeat(1_900);
  const part = `--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\na\r\n`;
  const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(300)}--b--\r\n`;
  const { summary, content } = await parseMail(Buffer.from(raw));
  expect(summary.attachment_count).toBe(content.attachments.length);
  expect(content).toMatchObject({ truncated: true });
  expect(content.attachments.length).toBe(
    Math.floor(ATTACHMENT_CHARS_MAX / (name.length + 'text/csv'.length)),
  );
});
