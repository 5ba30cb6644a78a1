import { expect, test } from 'bun:test';
import { createLog, makeRarely } from '../../../src/platform/core/log.ts';
import { LogTail } from '../../../src/platform/core/log-tail.ts';

test('what strangers cause is logged once a minute for each message, with the number of lines left out', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const write = (message: string, fields: object = {}) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const rarely = makeRarely({ warn: write, error: write }, () => nowMs);
  for (let count = 0; count < 1_000; count++) rarely('warn', 'refused', { count });
  rarely('error', 'other');
  nowMs = 60_000;
  rarely('warn', 'refused', { count: 'next' });
  rarely('warn', 'refused');
  nowMs = 300_000;
  rarely('warn', 'refused');
  expect(lines).toEqual([
    'refused {"count":0}',
    'other {}',
    'refused {"count":"next","left_out":999}',
    'refused {"left_out":1}',
  ]);
});

test('the operator’s log page has the lines that were written', () => {
  const written: string[] = [];
  const log = createLog({
    form: 'json',
    level: 'info',
    colour: false,
    write: (line) => void written.push(line),
    nowUs: () => 0,
  });
  const tail = new LogTail();
  const kept = tail.over(log, () => 0);
  for (let count = 0; count < 10; count++) kept.rarely('warn', 'refused');
  expect([written.length, tail.lines().length]).toEqual([1, 1]);
});
