/** For Vitest. Import this to add the matchers. */
import { expect } from 'vitest';
import { matchers, type PosternMatchers } from './plugins/matchers.js';
import { Postern } from './postern.js';

export type { PosternMatchers, ReceiveOptions } from './plugins/matchers.js';

declare module 'vitest' {
  // The type parameter must be Vitest's.
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's type.
  interface Matchers<T = any> extends PosternMatchers {}
}

expect.extend(matchers);

/** A client of the Postern of this run: the one at `POSTERN_URL`, or the one that the global set-up started. */
export const postern = new Postern();
