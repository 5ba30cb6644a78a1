import { type FieldReasons, fail, failField } from '../../platform/core/failure.ts';
import { type Mailbox, makeMailboxKey, NoMailbox, readMailbox } from '../../platform/mail/mailbox.ts';
import type { NewRecipient } from './writes.ts';

/** The recipients of an email, without duplicates. */
export interface Addressing {
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
}

/** Reads and checks the addresses in a request's fields. Fails with a 422 that lists every invalid entry by field. */
export function readFields<Field extends string>(
  given: Record<Field, readonly string[]>,
): Record<Field, Mailbox[]> {
  const fields: FieldReasons = {};
  const read = {} as Record<Field, Mailbox[]>;
  for (const [field, written] of Object.entries(given) as [Field, readonly string[]][]) {
    read[field] = written.flatMap((text, index) => {
      try {
        return [readMailbox(text)];
      } catch (thrown) {
        if (!(thrown instanceof NoMailbox)) throw thrown;
        const reason = written.length > 1 ? `entry ${index + 1} ${thrown.message}` : thrown.message;
        fields[field] = [...(fields[field] ?? []), reason];
        return [];
      }
    });
  }
  if (Object.keys(fields).length > 0) fail('validation_error', { fields });
  return read;
}

/**
 * Removes duplicates, keeping each mailbox where it is named first, so that nobody gets an email twice. Fails with 422
 * on `to` if there are more recipients than an email may have (docs/decisions.md, Outbound).
 */
export function dedupeAddressing({ to, cc, bcc }: Addressing, max: number): Addressing {
  const seen = new Set<string>();
  const keepFirst = (list: readonly Mailbox[]) =>
    list.filter(({ email }) => {
      const key = makeMailboxKey(email);
      return !seen.has(key) && seen.add(key);
    });
  const once = { to: keepFirst(to), cc: keepFirst(cc), bcc: keepFirst(bcc) };
  if (seen.size > max)
    failField('to', `has ${seen.size} recipients with cc and bcc; an email may have at most ${max}`);
  return once;
}

/** Returns the recipients for the queue, each with the request field that an error names. */
export function listNewRecipients(addressing: Addressing): NewRecipient[] {
  return (['to', 'cc', 'bcc'] as const).flatMap((field) =>
    addressing[field].map(({ email, domain }) => ({ email, domain, field })),
  );
}
