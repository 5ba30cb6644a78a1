import { number, plural } from '../amounts.ts';

/** The sidebar's inboxes, and the list of messages. */
export default {
  inboxes: {
    title: 'Inboxes',
    search: 'Search inboxes',
    new: 'New inbox',
    /** After the number of messages. */
    unread: (count: number) => plural(count, { one: 'unread', other: 'unread' }),
    public: 'public',
    catchAll: 'catch-all',
    noMatch: 'No matching inboxes',
    none: 'No inboxes yet',
    noneInTrap: 'Send a message to any address to create one.',
    noneBody: 'Create an inbox to get an address that receives mail.',
    delete: 'Delete inbox',
    deleteTitle: 'Delete this inbox?',
    deleteBody:
      '{address} will stop receiving mail, and its messages will be deleted. The address stays reserved for you, so you can create the inbox again.',
    deleted: 'Inbox deleted',
  },
  head: {
    compose: 'New message',
    inbox: 'Inbox',
    comfortable: 'Comfortable rows',
    compact: 'Compact rows',
    markAll: 'Mark all as read',
    deleteAll: 'Delete all',
    /** New rows that are not shown yet. */
    held: (count: number) => `${number(count)} new`,
    states: { live: 'Live', connecting: 'Connecting…', lost: 'Disconnected. Reconnecting…' },
  },
  panes: {
    sidebar: 'Width of the sidebar',
    list: 'Width of the message list',
    drag: 'Drag to resize',
  },
  address: 'Address',
  label: 'Messages, newest first',
  select: (subject: string) => `Select ${subject}`,
  selectOne: 'Select message',
  /** Before the subject, for a screen reader. */
  unread: 'Unread:',
  noSubject: '(no subject)',
  to: (recipient: string) => `to ${recipient}`,
  tags: (tags: string) => `Tags: ${tags}`,
  link: 'link',
  attachments: (count: number) =>
    plural(count, { one: `${number(count)} attachment`, other: `${number(count)} attachments` }),
  code: (code: string) => `Code ${code}`,
  copyCode: (code: string) => `Copy code ${code}`,
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  selection: {
    title: 'Selected messages',
    count: (count: number) => `${number(count)} selected`,
    all: (count: number) => `Select all ${number(count)}`,
    clear: 'Clear selection',
  },
  search: {
    title: 'Search mail',
    clear: 'Clear search',
    suggestions: 'Suggestions',
    filters: { unread: 'Unread', code: 'Codes', link: 'Links', attachment: 'Attachments' },
    misread: {
      unknown: (token: string) => `Unknown filter “${token}:”. Searched as text.`,
      choice: (token: string, choices: string) => `“${token}:” must be one of ${choices}. Searched as text.`,
      time: (token: string) =>
        `“${token}:” must be a date such as 2026-11-22, or an ISO time. Searched as text.`,
      size: (token: string) =>
        `“${token}:” must be a number of bytes, such as 2000, 200k or 2m. Searched as text.`,
    },
  },
  failed: 'Messages could not be loaded',
  tryAgain: 'Try again',
  empty: 'No messages yet',
  emptyBody: 'New messages appear here as they arrive.',
  deleted: {
    messages: (count: number) =>
      plural(count, { one: 'Message deleted', other: `${number(count)} messages deleted` }),
    copies: (count: number) => `Message deleted for its ${number(count)} recipients`,
    all: 'All messages deleted',
    matching: 'All matching messages deleted',
    askTitle: (count: number) => `Delete ${number(count)} messages?`,
    askBody: 'Keep this page open until they are deleted.',
  },
  markedRead: (count: number) =>
    plural(count, {
      one: `Marked ${number(count)} message as read`,
      other: `Marked ${number(count)} messages as read`,
    }),
  notifications: {
    on: 'Notifications turned on',
    off: 'Notifications turned off',
    missing: 'Notifications are not available in this browser',
    blocked: 'Notifications are blocked. Allow them for this site in the browser settings.',
  },
};
