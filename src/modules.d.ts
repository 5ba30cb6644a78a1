/** Files embedded in the executable. */
declare module '*.sql' {
  const text: string;
  export default text;
}
declare module '*.bin' {
  const path: string;
  export default path;
}
