import type { Reading } from '../../../platform/store/operation.ts';
import { repeatableOp, STEP_MS_MAX, type Tx } from '../../../platform/store/operation.ts';
import { NO_CONTENT, readSearchedContent } from './content.ts';
import {
  type Indexed,
  listRareTrigrams,
  makeDocument,
  type SearchedContent,
  TEXT_COLUMNS,
} from './document.ts';

interface UnindexedRow extends Indexed {
  received_at: number;
  raw_no: number;
  content: Buffer | null;
  content_size: number;
}

/** The time up to which texts are indexed. */
export function readTextIndexedTo(reading: Reading): number {
  const row = reading.sql('SELECT text_indexed_to FROM search_state').get() as { text_indexed_to: number };
  return row.text_indexed_to;
}

const UNINDEXED = `SELECT m.received_at, m.raw_no, m.inbox_no, m.account_no, m.size, m.otp, m.magic_link,
    m.attachment_count, m.has_html, m.envelope_recipient, m.subject, m."from", m."to", m.cc, r.content,
    r.content_size
  FROM message m LEFT JOIN raw r ON r.no = m.raw_no
  WHERE m.received_at > ?
  ORDER BY m.received_at
  LIMIT ?`;

const INSERT = `INSERT INTO message_search_text (rowid, subject, sender, recipients, cc, code, filenames, body,
    inbox, account, size, has_code, has_link, has_attachment, has_html)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Indexes the texts of the next messages. Returns how many. */
export const indexTextOp = repeatableOp('messages.index_text', (tx, { rows }: { rows: number }): number => {
  const beganMs = performance.now();
  let { no } = tx.sql('SELECT coalesce(max(no), 0) AS no FROM search_row').get() as { no: number };
  let upTo = readTextIndexedTo(tx);
  let indexed = 0;
  const terms = new Set<string>();
  let last: { raw_no: number; content: SearchedContent } | undefined;
  // One by one, because contents may be large, and the time may be up after a few.
  while (indexed < rows && (indexed === 0 || performance.now() - beganMs < STEP_MS_MAX)) {
    const row = tx.sql(UNINDEXED).get(upTo, 1) as UnindexedRow | undefined;
    if (!row) break;
    if (last?.raw_no !== row.raw_no) {
      const content =
        row.content && readSearchedContent({ ...row, content: row.content }, row.attachment_count);
      last = { raw_no: row.raw_no, content: content ?? NO_CONTENT };
    }
    const document = makeDocument(row, last.content);
    no += 1;
    tx.sql('INSERT INTO search_row (no, received_at) VALUES (?, ?)').run(no, row.received_at);
    tx.sql(INSERT).run(no, ...document);
    for (const term of listRareTrigrams(document.slice(0, TEXT_COLUMNS))) terms.add(term);
    upTo = row.received_at;
    indexed += 1;
  }
  for (const term of terms) tx.sql('INSERT OR IGNORE INTO search_text_term (term) VALUES (?)').run(term);
  if (indexed > 0) tx.sql('UPDATE search_state SET text_indexed_to = ?').run(upTo);
  return indexed;
});

/** Removes the texts of a message that is erased from the index. */
export function unindexText(tx: Tx, receivedAt: number): void {
  const row = tx.sql('DELETE FROM search_row WHERE received_at = ? RETURNING no').get(receivedAt);
  if (row) tx.sql('DELETE FROM message_search_text WHERE rowid = ?').run((row as { no: number }).no);
}
