/** The types of jest.cjs, which has the code of jest.ts: a CommonJS module needs a declaration of its own. */
import type * as jest from './jest.js' with { 'resolution-mode': 'import' };

export type { PosternMatchers, ReceiveOptions } from './jest.js' with { 'resolution-mode': 'import' };

export declare const matchers: typeof jest.matchers;
export declare const postern: typeof jest.postern;
