/** The requests in docs/sending.md, sent as printed. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Sender, verdict } from './sender.ts';

const page = readFileSync(join(import.meta.dir, '../../../docs/sending.md'), 'utf8');

test('the requests in docs/sending.md are answered as it says', async () => {
  await using sender = await Sender.start();
  // Requests about an email of their own (`$ID`) and PUT have tests in hold.test.ts.
  const requests = [...page.matchAll(/-d '([^']+)'[\s\\]+http:\/\/127\.0\.0\.1:8025\/api\/v1(\S+)/g)];
  const answers: string[] = [];
  for (const [, body = '', path = ''] of requests) {
    if (path.includes('$ID') || path === '/outbound_hold') continue;
    answers.push(`${path} ${verdict(await sender.post(path, body))}`);
  }
  expect(answers).toEqual([
    '/outbound_emails 201',
    '/outbound_allowlist 201',
    '/outbound_allowlist/mode 200',
  ]);
  expect(verdict(await sender.send({ to: ['bob@example.org'] }))).toBe('422 recipient_not_approved to');
});
