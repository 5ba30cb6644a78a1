import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { ServerKey } from '../../../src/platform/core/sealed.ts';

test('a secret sealed with another key or for another context is not opened, and the error says what to check', () => {
  const [key, other] = [new ServerKey(randomBytes(32)), new ServerKey(randomBytes(32))];
  const sealed = key.seal('secret', 'webhook one');
  expect(key.open(sealed, 'webhook one').toString()).toBe('secret');
  for (const open of [() => other.open(sealed, 'webhook one'), () => key.open(sealed, 'webhook two')])
    expect(open).toThrow('server.key belongs to another store: run postern doctor');
});
