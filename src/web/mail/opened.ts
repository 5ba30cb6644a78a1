import { type Signal, signal } from '@preact/signals';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { read } from '../api.ts';

/** Opened messages, newest last. */
export const openedMessages = new Map<string, Signal<OpenedMessage>>();
const OPEN_MAX = 60;

const beingOpened = new Map<string, Promise<Signal<OpenedMessage>>>();

/** Loads a message, or takes it from memory if it was opened before. Throws an ApiFailure. */
export function openMessage(id: string): Promise<Signal<OpenedMessage>> {
  const known = openedMessages.get(id);
  if (known) return Promise.resolve(known);
  const pending = beingOpened.get(id) ?? load(id).finally(() => beingOpened.delete(id));
  beingOpened.set(id, pending);
  return pending;
}

async function load(id: string): Promise<Signal<OpenedMessage>> {
  const message = signal(await read<OpenedMessage>(`messages/${id}`));
  openedMessages.set(id, message);
  const [oldest] = openedMessages.keys();
  if (openedMessages.size > OPEN_MAX && oldest) openedMessages.delete(oldest);
  return message;
}

/** Shows new releases in an open message. */
export function noteReleases(id: string, releases: OpenedMessage['releases']): void {
  const message = openedMessages.get(id);
  if (message) message.value = { ...message.peek(), releases: [...releases, ...message.peek().releases] };
}

/** Forgets messages that were deleted. */
export function forgetMessages(isGone: (message: OpenedMessage) => boolean): void {
  for (const [id, message] of openedMessages) if (isGone(message.peek())) openedMessages.delete(id);
}
