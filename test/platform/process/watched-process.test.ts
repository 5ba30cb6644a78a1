/** A child process is given the time that it needs to start, and no more of the machine than a mail needs. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { encodeFrame } from '../../../src/platform/process/frames.ts';
import { type Protocol, WatchedProcess } from '../../../src/platform/process/watched-process.ts';

const protocol: Protocol<string, unknown> = {
  headBytesMax: 1000,
  hasPulse: false,
  resultBytesMax: () => 0,
  encode: (job) => encodeFrame({ job }),
  decode: ({ head }) => head,
};

test('a process may take longer to start than for a job', async () => {
  const ended = Promise.withResolvers<unknown>();
  const command = [process.execPath, join(import.meta.dir, 'late-child.ts')];
  const events = {
    onResults: (results: unknown[]) => ended.resolve(results),
    onEnd: (reason: string) => ended.resolve(reason),
  };
  const child = new WatchedProcess(command, protocol, events, 100);
  child.assign(['a']);
  expect(await ended.promise).toEqual([{}]);
  child.stop();
});

test.skipIf(process.platform !== 'linux')(
  'a process that may not confine itself says so, and does its work',
  async () => {
    const ended = Promise.withResolvers<unknown>();
    const reasons: string[] = [];
    const events = {
      onResults: (results: unknown[]) => ended.resolve(results),
      onEnd: (reason: string) => ended.resolve(reason),
      onUnconfined: (reason: string) => reasons.push(reason),
    };
    const command = [process.execPath, join(import.meta.dir, 'refused-child.ts')];
    const child = new WatchedProcess(command, protocol, events);
    child.assign(['a']);
    expect(await ended.promise).toEqual([{}]);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toStartWith('the system refuses seccomp filters. ');
    child.stop();
  },
);

test.skipIf(process.platform !== 'linux').each([
  ['end the main thread', 'it ended'],
  ['start threads', 'it started too many threads'],
  ['fill tables of pages', 'it took too much memory'],
])('a process that hides what it uses is killed: %s', async (way, expected) => {
  const ended = Promise.withResolvers<string>();
  const command = [process.execPath, join(import.meta.dir, 'hiding-child.ts')];
  const events = { onResults: () => {}, onEnd: (reason: string) => ended.resolve(reason) };
  const child = new WatchedProcess(command, protocol, events, 20_000);
  child.assign([way]);
  expect(await ended.promise).toBe(expected);
});
