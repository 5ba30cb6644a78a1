import { type ErrorCode, errors } from '../../rules/errors.ts';

/** Field names with the reasons for refusing them. */
export type FieldReasons = Record<string, string[]>;

/** An expected refusal, with its code in the contract. Anything else that is thrown is a bug. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldReasons;
  readonly status: number;
  /** Whole seconds until a retry makes sense; always set for 429. */
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, details: FailureDetails = {}) {
    super(details.text ?? formatText(code, details.fields));
    this.name = 'Failure';
    this.code = code;
    this.fields = details.fields ?? {};
    this.status = details.status ?? errors[code].status;
    this.retryAfterS = details.retryAfterS;
  }
}

export interface FailureDetails {
  text?: string;
  fields?: FieldReasons;
  /** Only for codes with a second status in the contract (`also` in rules/errors.ts). */
  status?: number;
  retryAfterS?: number;
}

/** Characters of a field's name in a message: the caller may have made it up, as long as the whole body. */
const FIELD_CHARS_MAX = 80;
const MESSAGE_CHARS_MAX = 300;

/** Formats the code's text with the first reason, so that the message alone says what to change. */
function formatText(code: ErrorCode, fields: FieldReasons = {}): string {
  const { text, status } = errors[code];
  const [first] = Object.entries(fields);
  if (status !== 422 || !first?.[1][0]) return text;
  const reason = `${clip(first[0], FIELD_CHARS_MAX)}: ${first[1][0]}`;
  return clip(code === 'validation_error' ? reason : `${text} ${reason}`, MESSAGE_CHARS_MAX);
}

function clip(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1).toWellFormed()}…` : text;
}

/** Throws a Failure. */
export function fail(code: ErrorCode, details?: FailureDetails): never {
  throw new Failure(code, details);
}

/** Throws `validation_error` naming one field. */
export function failField(field: string, reason: string): never {
  throw new Failure('validation_error', { fields: { [field]: [reason] } });
}
