import type { MessageInList } from '../../doors/dashboard/wire.ts';

/** A row of the list: a mail, with its messages to several recipients. */
export interface Group {
  /** The newest message, which a click opens. */
  row: MessageInList;
  ids: string[];
  /** As the sender named them, the first recipient first. */
  recipients: string[];
  isUnread: boolean;
}

/** The messages of one mail are stored at once, so they follow one another. */
export function groupRows(rows: readonly MessageInList[]): Group[] {
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const row of rows) {
    if (last?.row.mail === row.mail) {
      last.ids.push(row.id);
      last.recipients.unshift(row.envelope_recipient);
      last.isUnread ||= !row.read;
    } else {
      last = { row, ids: [row.id], recipients: [row.envelope_recipient], isUnread: !row.read };
      groups.push(last);
    }
  }
  return groups;
}
