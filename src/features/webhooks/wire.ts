import { z } from 'zod';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { type EventKind, eventKindNames } from '../../rules/events.ts';

const URL_CHARS_MAX = 2048;
const time = z.iso.datetime();
const kind = z.enum(eventKindNames);

const webhook = z.object({
  id: z.string(),
  inbox_id: z.string().nullable().describe('Null for a webhook of the whole account.'),
  url: z.string(),
  events: z.array(kind),
  enabled: z.boolean(),
  disabled_reason: z
    .enum(['operator', 'gone', 'failing'])
    .nullable()
    .describe(
      'operator: a person turned it off; gone: it answered 410; failing: every attempt failed for five days.',
    ),
  consecutive_failures: z.int(),
  failing_since: time.nullable(),
  previous_secret_until: time.nullable().describe('Until then the previous secret signs too.'),
  created_at: time,
  updated_at: time,
});

/** A webhook without its secret. */
export const WebhookShape = webhook.meta({ id: 'Webhook' });
export type WebhookView = z.output<typeof WebhookShape>;
export type DisabledReason = NonNullable<WebhookView['disabled_reason']>;

/** A webhook with its new secret, which is shown only once. */
export const WebhookSecretShape = webhook
  .extend({ secret: z.string().describe('The signing secret, shown only once.') })
  .meta({ id: 'WebhookWithSecret' });
export type WebhookSecretView = z.output<typeof WebhookSecretShape>;

/** A delivery with its history. */
export const DeliveryShape = z
  .object({
    event_id: z.string(),
    event: kind,
    message_id: z.string().nullable().describe('Null if the event is not about a message.'),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.array(
      z
        .object({
          at: time,
          response_status: z.int().nullable(),
          error: z.string().nullable(),
          duration_ms: z.int(),
        })
        .meta({ id: 'WebhookAttempt' }),
    ),
    next_attempt_at: time.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryView = z.output<typeof DeliveryShape>;
export type DeliveryStatus = DeliveryView['status'];

export const WebhookTestShape = z
  .object({
    delivered: z.boolean().describe('Whether the receiver answered, whatever the status.'),
    response_status: z.int(),
    signature_version: z.string(),
    event_id: z.string(),
  })
  .meta({ id: 'WebhookTest' });

const url = z
  .string('must be a URL')
  .max(URL_CHARS_MAX, `has more than ${URL_CHARS_MAX} characters`)
  .describe('An https URL with a public address.');

const isKind = (name: string): name is EventKind => (eventKindNames as string[]).includes(name);

/** A list of event kinds, read as each kind once, in the order of the table. */
export const eventList = z
  .array(z.string('must be kinds of events').meta({ enum: eventKindNames }), 'must be an array of kinds')
  .min(1, 'must have at least one kind')
  .superRefine((names, { addIssue }) => {
    for (const name of new Set(names.filter((one) => !isKind(one)).slice(0, 10)))
      addIssue({ code: 'custom', message: `${name.slice(0, 60)} is not a kind of event` });
  })
  .transform((names) => eventKindNames.filter((name) => names.includes(name)))
  .describe('The kinds of events to send.');

export const NewWebhook = z.strictObject({ url, events: eventList }).meta({ id: 'NewWebhook' });

export const NewInboxWebhook = z.strictObject({ url }).meta({ id: 'NewInboxWebhook' });

export const WebhookChanges = z
  .strictObject({
    url: url.optional(),
    events: eventList.optional(),
    enabled: z.boolean('must be true or false').optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, {
    path: ['body'],
    // An unknown field is the only thing reported.
    when: ({ issues }) => issues.length === 0,
    message: 'must have at least one of url, events, enabled',
  })
  .meta({ id: 'WebhookChanges', minProperties: 1 });

export const WebhookReplay = z
  .strictObject({
    event_id: z.string('must be the id of an event').optional(),
    since: z
      .string('must be a time')
      .optional()
      .describe('An ISO 8601 time: sends all events after it that the webhook asks for.'),
  })
  .refine(({ event_id, since }) => (event_id === undefined) !== (since === undefined), {
    path: ['body'],
    when: ({ issues }) => issues.length === 0,
    message: 'must have either event_id or since',
  })
  .meta({ id: 'WebhookReplay', minProperties: 1, description: 'Either `event_id` or `since`.' });

export const WebhookReplayed = z
  .object({
    replayed: z.int().describe(`How many events are sent again, at most ${rules.replayedMax}.`),
    next_since: time
      .nullable()
      .describe('The `since` for the next request if there may be more events; otherwise null.'),
  })
  .meta({ id: 'WebhookReplayed' });
