import type { MessageInList } from '../../doors/dashboard/wire.ts';

/** Messages that are being deleted: no list shows or counts them, although the server may still have them. */
export interface Removal {
  covers: (row: Pick<MessageInList, 'id' | 'inbox_id' | 'received_at'>) => boolean;
  /** How many of them are unread, by inbox. */
  unread: ReadonlyMap<string, number>;
}

const removals = new Set<Removal>();

export function addRemoval(removal: Removal): void {
  removals.add(removal);
}

/** Returns whether it was there. */
export function dropRemoval(removal: Removal): boolean {
  return removals.delete(removal);
}

export function isHidden(row: MessageInList): boolean {
  for (const { covers } of removals) if (covers(row)) return true;
  return false;
}

/** Counts the unread messages being deleted in an inbox; null counts those of all inboxes. */
export function countHidden(inboxId: string | null): number {
  let hidden = 0;
  for (const { unread } of removals) {
    for (const [id, unreadRows] of unread) if (inboxId === null || id === inboxId) hidden += unreadRows;
  }
  return hidden;
}
