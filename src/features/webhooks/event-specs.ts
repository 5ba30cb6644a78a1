import { z } from 'zod';
import type { EventSpec } from '../../platform/http/openapi.ts';
import { type EventKind, eventKindNames, eventKinds } from '../../rules/events.ts';
import { DomainShape } from '../domains/wire.ts';
import { DeletedMessage } from '../events/wire.ts';
import { Message } from '../messages/wire.ts';
import { OutboundEmailShape } from '../outbound/wire.ts';
import { SIGNATURE_VERSION } from './signature.ts';

/** The events that webhooks send, for the OpenAPI document (docs/api-v1.md, Events). */

const signature = `t=1795248000,v1=${'5f2d1c0b'.repeat(8)}`;

const describeHeaders = (event: string, id: string): EventSpec['headers'] => ({
  'X-Service-Event': { about: 'The kind of event.', example: event },
  'X-Service-Event-Id': { about: 'The same on every retry: use it to drop duplicates.', example: id },
  'X-Service-Signature': {
    about:
      '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256, keyed with the signing secret, of `t`, a dot, and the raw body.',
    example: signature,
  },
  'X-Service-Signature-Version': { about: 'The signature scheme.', example: SIGNATURE_VERSION },
});

const describeEvent = (name: string, id: string, data: z.ZodType) =>
  z
    .object({
      id: z.string(),
      event: z.literal(name),
      created_at: z.iso
        .datetime()
        .describe('When the event happened. Within an inbox, later events have later times.'),
      data,
    })
    .meta({ id });

const MessageData = z.object({ message: Message }).meta({ id: 'WebhookEventData' });

/** The schema of `data`, by what the event is about. */
const subjects: Readonly<Record<string, z.ZodType>> = {
  message: MessageData,
  outbound_email: z.object({ outbound_email: OutboundEmailShape }).meta({ id: 'OutboundEmailEventData' }),
  domain: z.object({ domain: DomainShape }).meta({ id: 'DomainEventData' }),
};

/** The schema of `data` for events whose content was stored when they happened. */
const notes: Readonly<Partial<Record<EventKind, z.ZodType>>> = {
  'message.deleted': z.object({ message: DeletedMessage }).meta({ id: 'DeletedMessageEventData' }),
  'webhook.disabled': z
    .object({ inbox_id: z.string().nullable(), url: z.string() })
    .meta({ id: 'WebhookDisabledEventData' }),
};

const EVENT_ID = 'evt_7c6b5a49382716059483726150493827';

/** The first kind's schema keeps the name that it had before there were others. */
const nameSchema = (kind: EventKind) =>
  kind === 'email.received'
    ? 'WebhookEvent'
    : `${kind.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

export const webhookEvents: readonly EventSpec[] = [
  ...eventKindNames.map((kind) => {
    const { about, summary, description } = eventKinds[kind];
    const data = notes[kind] ?? subjects[about];
    if (!data) throw new Error(`the data of ${kind} has no schema`);
    return {
      name: kind,
      summary,
      description,
      headers: describeHeaders(kind, EVENT_ID),
      body: describeEvent(kind, nameSchema(kind), data),
    };
  }),
  {
    name: 'webhook.test',
    summary: 'A test send, with a sample message',
    description: 'Sent once for each request to test a webhook; never retried.',
    headers: describeHeaders('webhook.test', 'evt_test_7c6b5a49382716059483726150493827'),
    body: describeEvent('webhook.test', 'WebhookTestEvent', MessageData),
  },
];
