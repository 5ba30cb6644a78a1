import { z } from 'zod';
import { isoTime, isoTimeOrNull, SECOND_US } from '../../platform/core/clock.ts';
import { fail, failField } from '../../platform/core/failure.ts';
import { dataOf } from '../../platform/http/page.ts';
import { created, nothing, ok } from '../../platform/http/reply.ts';
import { route } from '../../platform/http/route.ts';
import { type FaultReply, type FaultRule, RULES_MAX, type Stage, stages } from './rules.ts';

const DELAY_MS_MAX = 300_000;
const COUNT_MAX = 1_000_000;
const EXPIRES_S_MAX = 7 * 86_400;
const PATTERN_CHARS_MAX = 320;
const REPLY_CHARS_MAX = 400;

const pattern = z
  .string()
  .min(1)
  .max(PATTERN_CHARS_MAX)
  .describe('`*` is any run of characters; case-insensitive.');
const count = z.int().min(0).max(COUNT_MAX);

export const NewSmtpFault = z
  .strictObject({
    stage: z.enum(stages, `must be one of ${stages.join(', ')}`),
    recipient: pattern.optional(),
    sender: pattern.optional(),
    reply: z.string().max(REPLY_CHARS_MAX).optional().describe('`450 4.2.1 try later`: 4xx or 5xx.'),
    drop: z.boolean().default(false).describe('Ends the connection without a reply.'),
    delay_ms: z.int().min(0).max(DELAY_MS_MAX).default(0),
    skip: count.default(0).describe('Matches that pass before the first one that is answered.'),
    times: count.min(1).optional().describe('How often it answers; without end unless given.'),
    expires_in_s: z.int().min(1).max(EXPIRES_S_MAX).optional(),
    probability: z.number().min(0).max(1).optional(),
    seed: z
      .int()
      .min(0)
      .max(0xffff_ffff)
      .default(1)
      .describe('Of the probability: the same seed, the same sequence.'),
  })
  .meta({ id: 'NewSmtpFault' });

const SmtpFault = z
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
    seed: z.int(),
    hits: z.int().describe('How often it answered.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SmtpFault' });

function faultView(rule: FaultRule): z.infer<typeof SmtpFault> {
  const { id, stage, recipient, sender, drop, skip, times, probability, seed, hits } = rule;
  return {
    ...{ id, stage, recipient, sender, drop, skip, times, probability, seed, hits },
    reply: rule.reply && `${rule.reply.code} ${rule.reply.text}`,
    delay_ms: rule.delayMs,
    created_at: isoTime(rule.createdAtUs),
    expires_at: isoTimeOrNull(rule.expiresAtUs),
  };
}

/** Throws validation_error naming what can't be answered or can never match. */
export function checkFault({
  stage,
  recipient,
  sender,
  reply,
  drop,
  delay_ms,
}: z.infer<typeof NewSmtpFault>) {
  const isBefore = (later: Stage) => stages.indexOf(stage) < stages.indexOf(later);
  if (sender !== undefined && isBefore('mail')) failField('sender', `is not known at stage ${stage}`);
  if (recipient !== undefined && isBefore('rcpt')) failField('recipient', `is not known at stage ${stage}`);
  if (reply !== undefined && drop)
    failField('drop', 'can’t be combined with reply: a dropped connection gets none');
  if (reply === undefined && !drop && delay_ms === 0)
    failField('reply', 'is missing: give reply, drop or delay_ms');
  return reply === undefined ? null : readReply(reply);
}

function readReply(text: string): FaultReply {
  const found = /^([45]\d\d)(?: ([\x20-\x7e]*))?$/.exec(text);
  if (!found) return failField('reply', 'must be a code from 400 to 599 and printable ASCII on one line');
  return {
    code: Number(found[1]),
    text: found[2]?.trim() || (text.startsWith('4') ? '4.0.0 Try later' : '5.0.0 Refused'),
  };
}

const faultRoute = { tag: 'SMTP faults', fails: ['not_a_trap'] } as const;
