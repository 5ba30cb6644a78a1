import type en from './en/index.ts';

/** English is the model: every other language `satisfies` these types, so that tsc names each missing key. */
export type Dictionary = typeof en;

/** The areas that are loaded with the pages that use them. The rest is loaded before the first render. */
export type Area = {
  [Name in keyof Dictionary]: Dictionary[Name] extends () => unknown ? Name : never;
}[keyof Dictionary];

/** The texts, by area. */
export type Words = Omit<Dictionary, Area> & {
  [Name in Area]: Awaited<ReturnType<Dictionary[Name]>>['default'];
};
