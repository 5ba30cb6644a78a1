import { failField } from '../../platform/core/failure.ts';

const EMAIL_CHARS_MAX = 320;

/** Returns a person's address trimmed and in lower case. Throws validation_error under `email`. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  const [local, domain, ...rest] = email.split('@');
  if (!local || !domain || rest.length > 0 || /[\s\p{Cc}<>,;]/u.test(email)) {
    failField('email', 'must be an address such as ann@example.com');
  }
  if (email.length > EMAIL_CHARS_MAX) failField('email', `may have at most ${EMAIL_CHARS_MAX} characters`);
  return email;
}
