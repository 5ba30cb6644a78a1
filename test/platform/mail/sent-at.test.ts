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

test.each([
  ['Sat, 28 Feb 2026 08:00:00 +0000', '2026-02-28T08:00:00.000000Z'],
  ['Thu, 29 Feb 2024 23:00:00 -0500', '2024-03-01T04:00:00.000000Z'],
  ['Sat Nov 21 08:00:00 GMT 2026', '2026-11-21T08:00:00.000000Z'],
  ['Sun, 29 Feb 2026 08:00:00 +0000', null],
  ['Tue, 31-Feb-2026 08:00:00', null],
  ['31 November 2026 08:00 GMT', null],
])('a day that its month does not have is no date: %s', (date, sentAt) => {
  expect(readSentAt(date)).toBe(sentAt);
});
