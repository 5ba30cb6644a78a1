import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDescriptors } from '../../../src/platform/net/descriptors.ts';
import { openCLibrary } from '../../../src/platform/system/c-library.ts';

const getpid = { getpid: { args: [], returns: 'i32' } } as const;

test.skipIf(process.platform !== 'linux')('the C library of this machine is found', () => {
  expect(openCLibrary(getpid).getpid()).toBe(process.pid);
  const faults: string[] = [];
  expect(openDescriptors((reason) => faults.push(reason)).readEnd()).toBeGreaterThan(0);
  expect(faults).toEqual([]);
});

test('the C library of another system is refused, with a reason for the log', () => {
  expect(() => openCLibrary(getpid, 'darwin')).toThrow('the system calls of Linux are not on darwin');
  expect(() => openCLibrary({ no_such_call: getpid.getpid }, 'linux')).toThrow('no_such_call');
});

test('no other file opens the C library, whose names differ between systems', () => {
  const root = resolve(import.meta.dir, '../../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const users = files.filter((file) =>
    /import \{[^}]*\bdlopen\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(users).toEqual(['platform/system/c-library.ts']);
});
