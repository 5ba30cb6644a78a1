/** For Jest. Import this to add the matchers. Also built as CommonJS, which Jest loads without flags. */
import { matchers, type PosternMatchers } from './plugins/matchers.js';
import { Postern } from './postern.js';

export type { PosternMatchers, ReceiveOptions } from './plugins/matchers.js';

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the type in @types/jest.
    interface Matchers<R, T = {}> extends PosternMatchers {}
  }
}

// With `injectGlobals: false` there is no global `expect`.
(globalThis as { expect?: { extend(matchers: object): void } }).expect?.extend(matchers);

export { matchers };

/** A client of the Postern of this run: the one at `POSTERN_URL`, or the one that the global set-up started. */
export const postern = new Postern();
