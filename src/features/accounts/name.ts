import { failField } from '../../platform/core/failure.ts';

const NAME_CHARS_MAX = 200;

/** Trims the name that a person gives to an account or a key. Throws validation_error under `name`. */
export function readName(text: string): string {
  const name = text.trim();
  if (name.length > NAME_CHARS_MAX || /\p{Cc}/u.test(name)) {
    failField('name', `may have at most ${NAME_CHARS_MAX} characters, none of them a control character`);
  }
  return name;
}
