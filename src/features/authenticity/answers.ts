import { z } from 'zod';
import type { Protocol } from '../../platform/process/watched-process.ts';
import { verdictResults } from '../../rules/verdicts.ts';
import { type CheckerMessage, type CheckerResult, encodeMessage } from './protocol.ts';

/*
 * Validates what the checker process answers, since a hostile mail may have taken it over
 * (features/ingest/parser-answers.ts does the same for parsers).
 */

const verdict = {
  result: z.enum(verdictResults),
  domain: z.string().nullable(),
  reason: z.string().nullable(),
};

const answer = z.strictObject({
  id: z.int(),
  authentication: z.strictObject({
    spf: z.strictObject(verdict),
    dkim: z.array(z.strictObject({ ...verdict, selector: z.string().nullable(), aligned: z.boolean() })),
    dmarc: z.strictObject({
      ...verdict,
      policy: z.enum(['none', 'quarantine', 'reject']).nullable(),
    }),
    from: z.strictObject({ domain: z.string().nullable(), aligned: z.boolean() }),
  }),
});

export const checkerProtocol: Protocol<CheckerMessage, CheckerResult> = {
  encode: encodeMessage,
  decode: ({ head }) => answer.parse(head),
};
