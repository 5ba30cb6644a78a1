/** The API's path of an inbox, by id or address; of all inboxes without one. */
export function inboxPath(inbox: string | undefined): string {
  return inbox === undefined || inbox === '' ? '' : `/inboxes/${encodeURIComponent(inbox)}`;
}
