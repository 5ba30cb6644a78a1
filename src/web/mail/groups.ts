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

/** The group of each first row: an unchanged row keeps its group object, so it is not rendered again. */
const known = new WeakMap<MessageInList, Group>();

/** Groups adjacent rows of the same mail: its messages are stored together, so they are adjacent. */
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

export const collectIds = (rows: readonly Pick<MessageInList, 'id'>[]) => new Set(rows.map(({ id }) => id));
