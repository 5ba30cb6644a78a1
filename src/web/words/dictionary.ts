import type en from './en/index.ts';

/** English is the model: every other language `satisfies` these types, so that tsc names each missing key. */
export type Dictionary = typeof en;

/** What is loaded with the pages that use it. The frame is loaded before the first render. */
export type Area = Exclude<keyof Dictionary, 'frame'>;

/** The texts, by area. */
export type Words = Pick<Dictionary, 'frame'> & {
  [Name in Area]: Awaited<ReturnType<Dictionary[Name]>>['default'];
};
