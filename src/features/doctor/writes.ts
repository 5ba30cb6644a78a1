/** The inbox for the doctor's mail, which each run creates and erases with its content. */

import { type AnyWriteOp, onFullDisk, type Tx, writeOp } from '../../platform/store/operation.ts';
import { findInboxByAddress } from '../inboxes/sql.ts';
import { dropInbox, insertInbox, isFreeAddress } from '../inboxes/writes.ts';
import { eraseWithoutTombstones } from '../messages/writes.ts';

export interface TrialInbox {
  no: number;
  account_no: number;
  address: string;
}

/** Always the same, so that an inbox left by a crash is found and reused. */
const LOCAL_PART = 'postern-doctor';
const LABEL = 'Postern doctor: a mail to itself';

export const openTrialInbox = writeOp(
  'doctor.open_inbox',
  (tx, { account_no, domain }: { account_no: number; domain: string }): TrialInbox => {
    const localPart = findLocalPart(tx, account_no, domain);
    const left = findInboxByAddress(tx, `${localPart}@${domain}`);
    const input = { account_no, domain, routing_key: null, label: LABEL, is_public: false, metadata: '{}' };
    const { no, address } = left ?? insertInbox(tx, input, localPart);
    return { no, account_no, address };
  },
);

/** Returns the usual name, or another if an inbox of that name belongs to someone. */
function findLocalPart(tx: Tx, accountNo: number, domain: string): string {
  for (let number = 1; ; number++) {
    const part = number === 1 ? LOCAL_PART : `${LOCAL_PART}-${number}`;
    const live = findInboxByAddress(tx, `${part}@${domain}`);
    if (live?.label === LABEL && live.account_no === accountNo) return part;
    if (isFreeAddress(tx, `${part}@${domain}`)) return part;
  }
}

export const closeTrialInbox = writeOp('doctor.close_inbox', (tx, inbox: TrialInbox): void => {
  eraseWithoutTombstones(tx, inbox.no);
  dropInbox(tx, inbox);
});

export const doctorWrites: readonly AnyWriteOp[] = [openTrialInbox, onFullDisk(closeTrialInbox)];
