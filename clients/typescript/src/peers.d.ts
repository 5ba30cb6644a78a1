/** What this client uses of Vitest, which is not installed here: it comes with the project that is tested. */
declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as Vitest has it.
  interface Matchers<T = any> {
    readonly not: Matchers<T>;
  }
  export const expect: { extend(matchers: object): void };
}
