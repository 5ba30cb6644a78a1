/** Dates and times in the queries of Mailpit's clients, as Mailpit 1.33 reads them in UTC. */
import { expect, test } from 'bun:test';
import { readTime } from '../../../src/doors/compat/times.ts';

const show = (text: string, zone = '') => {
  const time = readTime(text, zone);
  return time === null ? null : new Date(time / 1_000).toISOString();
};

test.each([
  ['2026-11-27', '', '2026-11-27T00:00:00.000Z'],
  ['2026-11-27 10:30', '', '2026-11-27T10:30:00.000Z'],
  ['2026-11-27t10:30:15.250', '', '2026-11-27T10:30:15.250Z'],
  ['2026-11-27T10:30:00Z', 'Asia/Tokyo', '2026-11-27T10:30:00.000Z'],
  ['2026-11-27T10:30:00+02:00', 'Asia/Tokyo', '2026-11-27T08:30:00.000Z'],
  ['2026/11/27', '', '2026-11-27T00:00:00.000Z'],
  ['11/27/2026 10:30', '', '2026-11-27T10:30:00.000Z'],
  ['Nov 27, 2026', '', '2026-11-27T00:00:00.000Z'],
  ['1795775400', '', '2026-11-27T10:30:00.000Z'],
  ['1795775400123', 'Asia/Tokyo', '2026-11-27T10:30:00.123Z'],
  ['2026-11-27', 'Asia/Tokyo', '2026-11-26T15:00:00.000Z'],
  ['2026-11-27 10:30', 'America/Los_Angeles', '2026-11-27T18:30:00.000Z'],
  ['2026-07-01 10:30', 'America/Los_Angeles', '2026-07-01T17:30:00.000Z'],
  ['2026-10-25 12:00', 'Europe/Berlin', '2026-10-25T11:00:00.000Z'],
  ['2026-11-27 10:30', 'No/Where', '2026-11-27T10:30:00.000Z'],
  ['never', '', null],
  ['', '', null],
])('%j in %j is %j', (text, zone, time) => expect(show(text, zone)).toBe(time));
