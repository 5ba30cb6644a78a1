import { fail } from '../../platform/core/failure.ts';
import { withAsciiDomain } from '../../platform/mail/address.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { findInboxById, type Inbox, inboxByAddress } from './sql.ts';

/** The live inbox that the operator names, by its id or its address. */
export function findInbox(reading: Reading, name: string): Inbox {
  const inbox = name.includes('@')
    ? inboxByAddress(reading, withAsciiDomain(name.trim().toLowerCase()))
    : findInboxById(reading, name);
  return inbox ?? fail('not_found', { text: `There is no inbox ${name}. Use its id or its address.` });
}
