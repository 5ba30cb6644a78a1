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

/** The group that begins with a row, so that the same row has the same group, which is not rendered again. */
const known = new WeakMap<MessageInList, Group>();

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
  return groups.map((group) => {
    const before = known.get(group.row);
    if (before && isSame(before, group)) return before;
    known.set(group.row, group);
    return group;
  });
}

const isSame = (one: Group, other: Group) =>
  one.isUnread === other.isUnread &&
  one.ids.length === other.ids.length &&
  one.ids.every((id, at) => id === other.ids[at]);
