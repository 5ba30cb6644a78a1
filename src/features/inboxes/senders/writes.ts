import { fail } from '../../../platform/core/failure.ts';
import { type AnyWriteOp, auditedOp } from '../../../platform/store/operation.ts';
import { recordAudit } from '../../audit/writes.ts';
import { findOwnInbox } from '../sql.ts';
import { readSenderLists, type SenderLists, senderStates } from './sql.ts';

interface SetSenders extends SenderLists {
  account_no: number;
  /** The inbox's id or address. */
  id: string;
}

/** Replaces both lists and the mode of an inbox. Mail that is already withheld stays withheld until it is accepted. */
export const setSendersOp = auditedOp('inboxes.set_senders', (tx, wanted: SetSenders): SenderLists => {
  const { no, address } = findOwnInbox(tx, wanted.account_no, wanted.id) ?? fail('not_found');
  const { mode, allow, block } = wanted;
  const unlisted = block.length === 0 ? senderStates.unlisted : senderStates.blocks;
  tx.sql('UPDATE inbox SET senders = ?, updated_at = ? WHERE no = ?').run(
    mode === 'allowed_only' ? senderStates.allowed_only : unlisted,
    tx.nowUs,
    no,
  );
  tx.sql('DELETE FROM sender_entry WHERE inbox_no = ?').run(no);
  for (const [list, entries] of [
    ['allow', allow],
    ['block', block],
  ] as const) {
    for (const entry of entries) {
      tx.sql('INSERT INTO sender_entry (inbox_no, entry, list) VALUES (?, ?, ?)').run(no, entry, list);
    }
  }
  recordAudit(tx, {
    action: 'senders.changed',
    account_no: wanted.account_no,
    target: address,
    details: { mode, allow: String(allow.length), block: String(block.length) },
  });
  return readSenderLists(tx, no);
});

export const senderWrites: readonly AnyWriteOp[] = [setSendersOp];
