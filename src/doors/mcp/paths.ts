/**
 * One segment of a path. Dots alone would name another path, and half of a surrogate pair none at all, so they become an
 * id that nothing has.
 */
export function writeSegment(id: string): string {
  return /^\.*$/.test(id) || !id.isWellFormed() ? '-' : encodeURIComponent(id);
}

/** The API's path of a message. Other words than ids name other routes there, such as /messages/wait. */
export function messagePath(id: string): string {
  return `/messages/${id.startsWith('msg_') ? writeSegment(id) : '-'}`;
}

/** The API's path of an inbox, by id or address; of all inboxes without one. */
export function inboxPath(inbox: string | undefined): string {
  return inbox === undefined || inbox === '' ? '' : `/inboxes/${writeSegment(inbox)}`;
}
