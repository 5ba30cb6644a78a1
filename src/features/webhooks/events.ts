import { z } from 'zod';
import type { EventSpec } from '../../platform/http/openapi.ts';
import { Message } from '../messages/wire.ts';
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

const EventData = z.object({ message: Message }).meta({ id: 'WebhookEventData' });

const describeEvent = (name: string, id: string) =>
  z
    .object({
      id: z.string(),
      event: z.literal(name),
      created_at: z.iso.datetime(),
      data: EventData,
    })
    .meta({ id });

export const webhookEvents: readonly EventSpec[] = [
  {
    name: 'email.received',
    summary: 'A new message in an inbox',
    description: 'Sent for each new message of an inbox that has a webhook, as soon as it is stored.',
    headers: describeHeaders('email.received', 'evt_7c6b5a49382716059483726150493827'),
    body: describeEvent('email.received', 'WebhookEvent'),
  },
  {
    name: 'webhook.test',
    summary: 'A test send, with a sample message',
    description: 'Sent once by `POST /api/v1/inboxes/{id}/webhook/test`; never retried.',
    headers: describeHeaders('webhook.test', 'evt_test_7c6b5a49382716059483726150493827'),
    body: describeEvent('webhook.test', 'WebhookTestEvent'),
  },
];
