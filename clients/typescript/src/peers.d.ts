/** What this client uses of Vitest, which is not installed here: it comes with the project that is tested. */
declare module 'vitest' {
  interface Matchers<T = unknown> {
    readonly not: Matchers<T>;
  }
  export const expect: { extend(matchers: object): void };
}
