import { z } from 'zod';
import { eventKindNames } from '../../rules/events.ts';

/** What is left of a message. */
export const DeletedMessage = z
  .object({ id: z.string(), inbox_id: z.string(), received_at: z.iso.datetime() })
  .meta({ id: 'DeletedMessage' });

/** An event in GET /events. What it is about is an object of another feature: routes.ts names the schemas. */
export function shapeEvent(message: z.ZodType, outboundEmail: z.ZodType, domain: z.ZodType) {
  return z
    .object({
      id: z.string(),
      event: z.enum(eventKindNames),
      created_at: z.iso.datetime(),
      inbox_id: z.string().nullable().describe('Null for what happened beside an inbox.'),
      data: z
        .object({
          message: message.nullable().optional().describe('As in lists; of a deleted one only its ids.'),
          outbound_email: outboundEmail.nullable().optional(),
          domain: domain.nullable().optional(),
          inbox_id: z.string().nullable().optional().describe('Of the webhook that was turned off.'),
          url: z.string().optional(),
        })
        .describe('What it is about, as it is now; null if it has been deleted.')
        .meta({ id: 'EventData' }),
    })
    .meta({ id: 'Event' });
}
