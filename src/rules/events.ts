/**
 * The kinds of events, for webhooks and GET /events (docs/webhooks.md). To add one, add a row here and call `recordEvent`
 * (src/features/events/writes.ts) in the write operation that causes it.
 */
interface EventKindRule {
  /**
   * What `data` is: the message, the outbound email or the domain as it is when the event is sent. `note`: what the cause has
   * recorded, because it can't be read later.
   */
  about: 'message' | 'outbound_email' | 'domain' | 'note';
  /** The field of `data` that has the note; without it, the note is `data` itself. */
  as?: string;
  summary: string;
  description: string;
}

const kinds = {
  'email.received': {
    about: 'message',
    summary: 'A new message in an inbox',
    description: 'Sent for each new message, as soon as it is stored.',
  },
  'email.authenticated': {
    about: 'message',
    summary: 'The sender of a message was checked',
    description: 'Sent when SPF, DKIM and DMARC of a message are done: `authentication` has the verdicts.',
  },
  'message.deleted': {
    about: 'note',
    as: 'message',
    summary: 'A message was deleted',
    description:
      'Sent for a message that was deleted by a request or by retention, with its ids and its time only. ' +
      'Deleting an inbox sends none for its messages.',
  },
  'email.held': {
    about: 'outbound_email',
    summary: "An email waits for an owner's approval",
    description:
      'Sent when a member asked for an email that an owner has to approve, or reject, before it is sent or its time is over.',
  },
  'email.sent': {
    about: 'outbound_email',
    summary: 'An email was sent',
    description: 'Sent when the servers of all its recipients have accepted it.',
  },
  'email.bounced': {
    about: 'outbound_email',
    summary: 'An email bounced',
    description:
      'Sent when a server refused a recipient for good, and for each report that one did not get an email which a server had accepted.',
  },
  'email.failed': {
    about: 'outbound_email',
    summary: 'An email could not be sent',
    description:
      'Sent when a recipient could not be reached until the email expired, and for an email that this server or an owner rejected.',
  },
  'domain.verified': {
    about: 'domain',
    summary: 'A domain was verified',
    description: 'Sent when the records of a domain were found: it receives mail from now on.',
  },
  'domain.failed': {
    about: 'domain',
    summary: 'A domain is no longer verified',
    description: 'Sent when the records of a domain were missing for too long: it no longer receives mail.',
  },
  'webhook.disabled': {
    about: 'note',
    summary: 'A webhook was turned off',
    description:
      'Sent to the other webhooks when one was turned off, by a person, by a 410, or after five days of failures. ' +
      '`inbox_id` is null for a webhook of the whole account.',
  },
} as const satisfies Record<string, EventKindRule>;

export type EventKind = keyof typeof kinds;
export const eventKindNames = Object.keys(kinds) as EventKind[];
export const eventKinds: Readonly<Record<EventKind, EventKindRule>> = kinds;

/** The events of an inbox's own webhook. */
export const inboxHookEvents: readonly EventKind[] = ['email.received'];
