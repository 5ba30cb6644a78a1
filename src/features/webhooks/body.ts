import { isoTime } from '../../platform/core/clock.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type EventKind, eventKinds } from '../../rules/events.ts';
import { findOwnDomain } from '../domains/sql.ts';
import { viewDomain } from '../domains/view.ts';
import { findOwnMessage } from '../messages/sql.ts';
import { viewMessage } from '../messages/view.ts';
import { listRecipients, ownEmail } from '../outbound/sql.ts';
import { emailView } from '../outbound/view.ts';

/** An event as it is stored. */
export interface StoredEvent {
  id: string;
  kind: EventKind;
  account_no: number;
  subject_id: string;
  note: string | null;
  created_at: number;
}

/** An event as a webhook sends it. */
export interface EventBody {
  id: string;
  event: string;
  created_at: string;
  data: object;
}

/** The body of an event, with what it is about as it is now. Null if that has been deleted. */
export function readEventBody(services: PlatformServices, event: StoredEvent): EventBody | null {
  const { id, kind, created_at } = event;
  const data = readData(services, event);
  return data && { id, event: kind, created_at: isoTime(created_at), data };
}

/** What an attempt says that found nothing to send. */
export function nameDeleted(kind: EventKind): string {
  return `${eventKinds[kind].about}_deleted`;
}

function readData(services: PlatformServices, event: StoredEvent): object | null {
  const { store } = services;
  const { kind, account_no, subject_id, note } = event;
  const { about, as } = eventKinds[kind];
  if (about === 'note') {
    const read = JSON.parse(note ?? '{}');
    return as === undefined ? read : { [as]: read };
  }
  if (about === 'message') {
    const row = findOwnMessage(store, account_no, subject_id);
    return row && { message: viewMessage(row) };
  }
  if (about === 'domain') {
    const row = findOwnDomain(store, account_no, subject_id);
    return row && { domain: viewDomain(services, row) };
  }
  const email = ownEmail(store, account_no, subject_id);
  return email && { outbound_email: emailView({ email, recipients: listRecipients(store, email.no) }) };
}
