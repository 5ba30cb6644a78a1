/** The parts of Vitest that this client uses. Vitest is not installed here: it comes with the project under test. */
declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's type.
  interface Matchers<T = any> {
    readonly not: Matchers<T>;
  }
  export const expect: { extend(matchers: object): void };
}
