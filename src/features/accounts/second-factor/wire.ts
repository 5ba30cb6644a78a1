/** A person's second factor in the form in which their own pages load it. */

export interface SecondFactorState {
  /** When the authenticator app was added; null without one. */
  added_at: string | null;
  /** How many recovery codes are left. */
  recovery_codes: number;
}

/** A secret for an app to scan. Not stored until a code shows that the app has it. */
export interface NewSecondFactor {
  /** Base32. */
  secret: string;
  /** The text of the QR code. */
  uri: string;
}

/** Shown once. */
export interface RecoveryCodes {
  recovery_codes: string[];
}
