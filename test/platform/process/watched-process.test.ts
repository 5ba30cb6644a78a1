/** A child process is given the time that it needs to start. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { encodeFrame } from '../../../src/platform/process/frames.ts';
import { type Protocol, WatchedProcess } from '../../../src/platform/process/watched-process.ts';

const protocol: Protocol<string, unknown> = {
  headBytesMax: 100,
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
