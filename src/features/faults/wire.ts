import { z } from 'zod';
import { stages } from './stages.ts';

const DELAY_MS_MAX = 300_000;
const COUNT_MAX = 1_000_000;
const EXPIRES_S_MAX = 7 * 86_400;
/** As long as an address may be (RFC 5321 4.5.3.1). */
const PATTERN_CHARS_MAX = 320;
/** A reply line has at most 512 octets (RFC 5321 4.5.3.1.5). */
const REPLY_CHARS_MAX = 400;
const SEED_MAX = 0xffff_ffff;

const pattern = z
  .string('must be a string')
  .max(PATTERN_CHARS_MAX, `has more than ${PATTERN_CHARS_MAX} characters`);

const whole = (min: number, max: number) => {
  const reason = `must be an integer from ${min} to ${max}`;
  return z.int(reason).min(min, reason).max(max, reason);
};

export const NewSmtpFault = z
  .strictObject({
    stage: z
      .enum(stages, `must be one of ${stages.join(', ')}`)
      .describe('`ehlo` includes HELO. `data` answers instead of 354, `dot` after the message data.'),
    recipient: pattern.optional().describe('A case-insensitive pattern; `*` matches any characters.'),
    sender: pattern
      .optional()
      .describe('A pattern like `recipient`. Empty matches only the null reverse-path.'),
    reply: z
      .string('must be a string')
      .max(REPLY_CHARS_MAX, `has more than ${REPLY_CHARS_MAX} characters`)
      .meta({ pattern: '^[45]\\d\\d( [\\x20-\\x7e]*)?$' })
      .optional()
      .describe('A code from 400 to 599 and its text; 421 also closes the connection.'),
    drop: z
      .boolean('must be true or false')
      .default(false)
      .describe('Closes the connection without a reply.'),
    delay_ms: whole(0, DELAY_MS_MAX)
      .default(0)
      .describe('Waits before the reply or the drop. Without either, the session then continues as usual.'),
    skip: whole(0, COUNT_MAX).default(0).describe('How many matches pass before the first one is answered.'),
    times: whole(1, COUNT_MAX).optional().describe('How many matches are answered; no limit if absent.'),
    expires_in_s: whole(1, EXPIRES_S_MAX).optional(),
    probability: z
      .number('must be a number from 0 to 1')
      .min(0, 'must be a number from 0 to 1')
      .max(1, 'must be a number from 0 to 1')
      .optional()
      .describe('The probability that a match is answered; 1 if absent.'),
    seed: whole(0, SEED_MAX).default(1).describe('With the same seed, the same matches are answered.'),
  })
  .meta({ id: 'NewSmtpFault' });

export type SmtpFaultRequest = z.output<typeof NewSmtpFault>;

export const SmtpFault = z
  .object({
    id: z.string(),
    stage: z.enum(stages),
    recipient: z.string().nullable(),
    sender: z.string().nullable(),
    reply: z.string().nullable(),
    drop: z.boolean(),
    delay_ms: z.int(),
    skip: z.int(),
    times: z.int().nullable(),
    probability: z.number().nullable(),
    seed: z.int().max(SEED_MAX),
    hits: z.int().describe('How many matches it has answered.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SmtpFault' });

export type SmtpFaultView = z.output<typeof SmtpFault>;
