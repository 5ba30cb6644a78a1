/* Codes after an equals sign: "OTP=482913". */

/** Names that mean a code anywhere in a line. */
const ASSIGNED = /(?:^|\s)(?:otp|otc|m?tan|passcode)=$/i;
const ASSIGNED_CHARS = 10;
/** Names that mean a code only if nothing else is in the line; otherwise it may be of a log, or an address. */
const ONLY_ASSIGNED =
  /^\s{0,9}(?:your\s)?(?:(?:verification|login|access|security|confirmation|sms|2fa)[_ -]?)?(?:code|pin)=\d{4,10}\.?\s{0,9}$/i;

/** Whether the digits that start here are assigned to a name for a code. */
export const isAssignedCode = (text: string, start: number) =>
  ASSIGNED.test(text.slice(Math.max(0, start - ASSIGNED_CHARS), start)) || ONLY_ASSIGNED.test(text);
