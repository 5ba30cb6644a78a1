/** One segment of a path. Dots alone would name another path, so they become an id that nothing has. */
export function writeSegment(id: string): string {
  return /^\.*$/.test(id) ? '-' : encodeURIComponent(id);
}

/** The API's path of an inbox, by id or address; of all inboxes without one. */
export function inboxPath(inbox: string | undefined): string {
  return inbox === undefined || inbox === '' ? '' : `/inboxes/${writeSegment(inbox)}`;
}
