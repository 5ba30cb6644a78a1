import { z } from 'zod';
import { eventKindNames } from '../../rules/events.ts';

/** What remains of a deleted message. */
export const DeletedMessage = z
  .object({ id: z.string(), inbox_id: z.string(), received_at: z.iso.datetime() })
  .meta({ id: 'DeletedMessage' });

/**
 * Makes the schema of an event in GET /events. Its objects belong to other features, so routes.ts passes their schemas.
 */
export function shapeEvent(message: z.ZodType, outboundEmail: z.ZodType, domain: z.ZodType) {
  return z
    .object({
      id: z.string(),
      event: z.enum(eventKindNames),
      created_at: z.iso.datetime(),
      inbox_id: z.string().nullable().describe('Null for an event that belongs to no inbox.'),
      data: z
        .object({
          message: message
            .nullable()
            .optional()
            .describe('As in lists. A deleted message has only `id`, `inbox_id` and `received_at`.'),
          outbound_email: outboundEmail.nullable().optional(),
          domain: domain.nullable().optional(),
          inbox_id: z
            .string()
            .nullable()
            .optional()
            .describe('The inbox of the webhook that was turned off.'),
          url: z.string().optional(),
        })
        .describe('The object that the event is about, as it is now; null if it has been deleted.')
        .meta({ id: 'EventData' }),
    })
    .meta({ id: 'Event' });
}
