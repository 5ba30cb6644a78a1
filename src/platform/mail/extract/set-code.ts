/* Codes after an equals sign. */

/** "OTP=482913"; "code=482913" with something else in its line is rather a line of a log, or of an address. */
const SET_CODE = /(?:^|\s)(?:otp|otc|m?tan|passcode)=$/i;
const SET_CODE_CHARS = 10;
const ONLY_SET_CODE =
  /^\s{0,9}(?:your\s)?(?:(?:verification|login|access|security|confirmation|sms|2fa)[_ -]?)?(?:code|pin)=\d{4,10}\.?\s{0,9}$/i;
/** Whether the digits that start here are the value of a name for a code. */
export const isSetCode = (text: string, start: number) =>
  SET_CODE.test(text.slice(Math.max(0, start - SET_CODE_CHARS), start)) || ONLY_SET_CODE.test(text);
