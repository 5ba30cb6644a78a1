/**
 * Returns an id as one segment of a path. Dots alone would change the path, and half of a surrogate pair can't be
 * encoded, so both become an id that nothing has.
 */
export function writeSegment(id: string): string {
  return /^\.*$/.test(id) || !id.isWellFormed() ? '-' : encodeURIComponent(id);
}

/**
 * Returns the API's path of a message. Anything but a message's id could name another route, such as /messages/wait.
 */
export function formatMessagePath(id: string): string {
  return `/messages/${id.startsWith('msg_') ? writeSegment(id) : '-'}`;
}

/** Returns the API's path of an inbox, by its id or address; empty, for all inboxes, without one. */
export function formatInboxPath(inbox: string | undefined): string {
  return inbox === undefined || inbox === '' ? '' : `/inboxes/${writeSegment(inbox)}`;
}
