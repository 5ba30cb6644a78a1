/** Bounds of traps, which accept every address (docs/testing.md). */
export const traps = {
  /** Waits and streams of one trap, and of all traps on a server: a whole parallel suite waits at the same time. */
  waitSlots: 4_096,
  /** Wrong passwords in one SMTP session. */
  wrongPasswordsMax: 5,
  /** Characters kept of the user name of SMTP AUTH. */
  userNameChars: 320,
} as const;
