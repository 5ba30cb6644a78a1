import { fail } from '../../platform/core/failure.ts';
import { toInboxForm } from '../../platform/mail/address.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { findInboxByAddress, findInboxById, type Inbox } from './sql.ts';

/** Returns the live inbox that the operator names, by its id or its address. Throws not_found. */
export function findInbox(reading: Reading, name: string): Inbox {
  const inbox = name.includes('@')
    ? findInboxByAddress(reading, toInboxForm(name.trim()))
    : findInboxById(reading, name);
  return inbox ?? fail('not_found', { text: `There is no inbox ${name}. Use its id or its address.` });
}
