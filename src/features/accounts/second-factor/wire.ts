/** A person's second factor, as their own pages load it. */

export interface SecondFactorState {
  /** When the authenticator app was added; null without one. */
  added_at: string | null;
  /** How many are left. */
  recovery_codes: number;
}

/** Not stored until a code shows that an app has it. */
export interface NewSecondFactor {
  /** Base32. */
  secret: string;
  /** What the QR code says. */
  uri: string;
}

/** Shown once. */
export interface RecoveryCodes {
  recovery_codes: string[];
}
