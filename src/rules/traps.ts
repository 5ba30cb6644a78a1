/** Bounds of traps, which accept every address (docs/testing.md). */
export const traps = {
  /** Most waits and streams of one trap, and of all traps of a server: all tests of a parallel suite wait at the same time. */
  waitSlots: 4_096,
  /** Most wrong passwords in one SMTP session. */
  wrongPasswordsMax: 5,
  /** Characters to store of the user name of SMTP AUTH. */
  userNameChars: 320,
} as const;
