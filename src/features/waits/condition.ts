import { fold } from '../../rules/fold.ts';

/**
 * The condition of a wait or a stream, which a message must match (docs/api-v1.md; docs/decisions.md has what was
 * added).
 */
export interface Condition {
  require: Requirement;
  /** The minimum confidence of a code. Ignored for `link`. */
  min_confidence: number;
  /** Case-insensitive substrings; null if not set. */
  from: string | null;
  subject_contains: string | null;
  /** Only messages whose From is authentic. They count from the moment when that is found (features/waits/feed.ts). */
  authenticated: boolean;
}

export const requirements = ['otp', 'link', 'any', 'message'] as const;
export type Requirement = (typeof requirements)[number];

/** Why a message did not match. Reported in X-Wait-Reason. */
export type Mismatch =
  | 'no_code'
  | 'low_confidence'
  | 'no_link'
  | 'other_sender'
  | 'other_subject'
  | 'unauthenticated';

/** The columns that a condition reads. */
export interface MatchedColumns {
  otp: string | null;
  otp_confidence: number;
  magic_link: string | null;
  from: string;
  subject: string;
  /** When its From was found to be authentic; null until then. */
  proven_at: number | null;
}

/** Returns why the message does not match, or an empty array if it matches. */
export function findMismatches(condition: Condition, message: MatchedColumns): Mismatch[] {
  const found: Mismatch[] = [];
  if (!contains(message.from, condition.from)) found.push('other_sender');
  if (!contains(message.subject, condition.subject_contains)) found.push('other_subject');
  if (condition.authenticated && message.proven_at === null) found.push('unauthenticated');
  const code = checkCode(condition, message);
  const link: Mismatch | null = message.magic_link === null ? 'no_link' : null;
  if (condition.require === 'otp' && code) found.push(code);
  if (condition.require === 'link' && link) found.push(link);
  if (condition.require === 'any' && code && link) found.push(code);
  return found;
}

function checkCode({ min_confidence }: Condition, message: MatchedColumns): Mismatch | null {
  if (!message.otp) return 'no_code';
  return message.otp_confidence < min_confidence ? 'low_confidence' : null;
}

function contains(text: string, needle: string | null): boolean {
  return needle === null || fold(text).includes(fold(needle));
}
