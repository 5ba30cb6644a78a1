import { type ErrorCode, errors } from '../../rules/errors.ts';

/** Field name to the reasons why it was refused. */
export type FieldReasons = Record<string, string[]>;

/** An expected refusal, known to the contract by its code. All else that is thrown is a fault of ours. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldReasons;
  readonly status: number;
  /** Whole seconds until a new try makes sense; always there on 429. */
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, details: FailureDetails = {}) {
    super(details.text ?? textOf(code, details.fields));
    this.name = 'Failure';
    this.code = code;
    this.fields = details.fields ?? {};
    this.status = details.status ?? errors[code].status;
    this.retryAfterS = details.retry_after_s;
  }
}

export interface FailureDetails {
  text?: string;
  fields?: FieldReasons;
  /** Only where the contract gives the code a second status (`also` in rules/errors). */
  status?: number;
  retry_after_s?: number;
}

/** Bounds the name of a field in a message: it may be the caller's own and as long as the body. */
const FIELD_CHARS_MAX = 80;
const MESSAGE_CHARS_MAX = 300;

/** What the code means, with the first reason: whoever sees only the message still learns what to change. */
function textOf(code: ErrorCode, fields: FieldReasons = {}): string {
  const { text, status } = errors[code];
  const [first] = Object.entries(fields);
  if (status !== 422 || !first?.[1][0]) return text;
  const reason = `${clip(first[0], FIELD_CHARS_MAX)}: ${first[1][0]}`;
  return clip(code === 'validation_error' ? reason : `${text} ${reason}`, MESSAGE_CHARS_MAX);
}

function clip(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1).toWellFormed()}…` : text;
}

/** Throws the failure with this code. */
export function fail(code: ErrorCode, details?: FailureDetails): never {
  throw new Failure(code, details);
}

/** Throws `validation_error` naming one field. */
export function failField(field: string, reason: string): never {
  throw new Failure('validation_error', { fields: { [field]: [reason] } });
}
