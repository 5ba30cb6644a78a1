/** For Jest: importing it adds the matchers. Also built as CommonJS, which Jest loads without flags. */
import { matchers, type PosternMatchers } from './plugins/matchers.js';
import { Postern } from './postern.js';

export type { PosternMatchers, ReceiveOptions } from './plugins/matchers.js';

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: as @types/jest has it.
    interface Matchers<R, T = {}> extends PosternMatchers {}
  }
}

// With `injectGlobals: false` there is none.
(globalThis as { expect?: { extend(matchers: object): void } }).expect?.extend(matchers);

export { matchers };

/** A client of the Postern of this run: the one that the global set-up started, or that of `POSTERN_URL`. */
export const postern = new Postern();
