/** For Vitest: importing it adds the matchers. */
import { expect } from 'vitest';
import { matchers, type PosternMatchers } from './plugins/matchers.js';
import { Postern } from './postern.js';

export type { PosternMatchers, ReceiveOptions } from './plugins/matchers.js';

declare module 'vitest' {
  // Its parameter must be Vitest's.
  // biome-ignore lint/suspicious/noExplicitAny: as Vitest has it.
  interface Matchers<T = any> extends PosternMatchers {}
}

expect.extend(matchers);

/** A client of the Postern of this run: the one that the global set-up started, or that of `POSTERN_URL`. */
export const postern = new Postern();
