import { expect, test } from 'bun:test';
import { readSentAt } from '../../../src/platform/mail/sent-at.ts';

test.each([
  'Sat, 21 Nov 2026 08:00:00',
  'Sat Nov 21 08:00:00 2026',
  '21 Nov 2026 8:00 AM',
  '2026-11-21T08:00:00',
])('a date without a zone is UTC, whatever zone the server has: %s', (date) => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    expect(readSentAt(date)).toBe('2026-11-21T08:00:00.000000Z');
  } finally {
    process.env.TZ = zone ?? 'UTC';
  }
});
