import { isoTime } from '../../platform/core/clock.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type EventKind, eventKinds } from '../../rules/events.ts';
import { findOwnDomain } from '../domains/sql.ts';
import { viewDomain } from '../domains/view.ts';
import type { StoredEvent } from '../events/sql.ts';
import { findOwnMessage, findOwnSummary } from '../messages/sql.ts';
import { viewMessage, viewSummary } from '../messages/view.ts';
import { findOwnEmail } from '../outbound/sql.ts';
import { readEmailView } from '../outbound/view.ts';

/** An event as a webhook sends it. */
export interface EventBody {
  id: string;
  event: string;
  created_at: string;
  data: object;
}

type Known = Pick<StoredEvent, 'id' | 'kind' | 'account_no' | 'subject_id' | 'note' | 'created_at'>;

/** Returns the body of an event, with its subject in its current state. Null if the subject has been deleted. */
export function readEventBody(services: PlatformServices, event: Known): EventBody | null {
  const { id, kind, created_at } = event;
  const { about } = eventKinds[kind];
  const subject = about === 'note' ? null : readSubject(services, event);
  if (about !== 'note' && !subject) return null;
  const data = about === 'note' ? readNote(event) : { [about]: subject };
  return { id, event: kind, created_at: isoTime(created_at), data };
}

/** Returns the subject of an event for a list: a message without its text, or null if it has been deleted. */
export function readEventSummary(services: PlatformServices, event: Known): object {
  const { about } = eventKinds[event.kind];
  if (about === 'note') return readNote(event);
  if (about !== 'message') return { [about]: readSubject(services, event) };
  const row = findOwnSummary(services.store, event.account_no, event.subject_id);
  return { message: row && viewSummary(row) };
}

/** Returns the error of an attempt whose subject has been deleted. */
export function formatDeletedError(kind: EventKind): string {
  return `${eventKinds[kind].about}_deleted`;
}

function readNote({ kind, note }: Known): object {
  const { as } = eventKinds[kind];
  const read = JSON.parse(note ?? '{}');
  return as === undefined ? read : { [as]: read };
}

function readSubject(services: PlatformServices, { kind, account_no, subject_id }: Known): object | null {
  const { store } = services;
  const { about } = eventKinds[kind];
  if (about === 'message') {
    const row = findOwnMessage(store, account_no, subject_id);
    return row && viewMessage(row);
  }
  if (about === 'domain') {
    const row = findOwnDomain(store, account_no, subject_id);
    return row && viewDomain(services, row);
  }
  const email = findOwnEmail(store, account_no, subject_id);
  return email && readEmailView(store, email);
}
