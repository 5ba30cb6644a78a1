import { z } from 'zod';
import { VERDICT_CHARS_MAX } from '../../platform/mail/authentication.ts';
import type { Protocol } from '../../platform/process/watched-process.ts';
import { verdictResults } from '../../rules/verdicts.ts';
import { type CheckerMessage, type CheckerResult, encodeMessage } from './protocol.ts';

/*
 * Validates what the checker process answers, since a hostile mail may have taken it over
 * (features/ingest/parser-answers.ts does the same for parsers).
 */

/** Verdicts on ten signatures, each with texts of 200 characters, take a tenth of it. */
const HEAD_BYTES_MAX = 64 * 1024;

/** Made by cutVerdictText. */
const text = z
  .string()
  .max(VERDICT_CHARS_MAX)
  .regex(/^\P{Cc}*$/u)
  .nullable();

const verdict = { result: z.enum(verdictResults), domain: text, reason: text };

const answer = z.strictObject({
  id: z.int(),
  authentication: z.strictObject({
    spf: z.strictObject(verdict),
    dkim: z.array(z.strictObject({ ...verdict, selector: text, aligned: z.boolean() })),
    dmarc: z.strictObject({
      ...verdict,
      policy: z.enum(['none', 'quarantine', 'reject']).nullable(),
    }),
    from: z.strictObject({ domain: text, aligned: z.boolean() }),
  }),
});

export const checkerProtocol: Protocol<CheckerMessage, CheckerResult> = {
  headBytesMax: HEAD_BYTES_MAX,
  hasPulse: true,
  encode: encodeMessage,
  resultBytesMax: () => 0,
  decode: ({ head }) => answer.parse(head),
};
