import { z } from 'zod';

/** The body of every error (contract: Errors). reply.ts fills it. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.string().describe('Match on this; the message may change.'),
      message: z.string(),
      fields: z
        .record(z.string(), z.array(z.string()))
        .describe('Field name to reasons; empty unless fields failed.'),
      request_id: z.string().describe('Repeats the X-Request-Id header.'),
    }),
  })
  .meta({ id: 'Error' });
