import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { dataOf } from '../../platform/http/page.ts';
import { ok } from '../../platform/http/reply.ts';
import { type EntitleBody, routeOn } from '../../platform/http/route.ts';
import { rowsMax, verifyBatch } from './batch.ts';
import { TOKEN_CHARS_MAX, tokensIn, uniqueTokens } from './tokens.ts';
import { FILE_BYTES_MAX, textOf } from './upload.ts';
import { modes, reasons, verdicts } from './verdict.ts';
import type { VerificationServices } from './verifier.ts';

/** For one address: the DNS and the probe end by then. */
const SINGLE_MS = 40_000;
const Mode = z.enum(modes, 'must be safe or full').default('safe');

/** Without that form it is no address at all, and no verdict is asked for (decisions.md, Verification). */
const Email = z
  .string('must be an email address')
  .max(TOKEN_CHARS_MAX, `must have at most ${TOKEN_CHARS_MAX} characters`)
  .refine((email) => /^.+@[^@]+$/s.test(email), 'must be an email address: one @ between two parts');

const Verify = z.strictObject({ email: Email, mode: Mode }).meta({ id: 'Verify' });

/** One reason for all that are no text: a body has room for 131,000 of them, and a reason for each takes its time. */
const Emails = z
  .array(z.unknown(), 'must be an array of addresses')
  .refine((emails) => emails.every((email) => typeof email === 'string'), 'must be texts')
  .transform((emails) => emails as string[])
  .meta({ items: { type: 'string' } });

const VerifyBatch = z
  .strictObject({
    emails: Emails.optional(),
    text: z
      .string('must be a text')
      .optional()
      .describe('Addresses between line ends, commas, semicolons or white space.'),
    mode: Mode,
  })
  .superRefine(({ emails, text }, context) => {
    if ((emails === undefined) !== (text === undefined)) return;
    const message = emails ? 'give emails or text, not both' : 'is required: emails, text, or a file';
    for (const field of ['emails', 'text']) context.addIssue({ code: 'custom', path: [field], message });
  })
  .meta({
    id: 'VerifyBatch',
    description: 'Exactly one of `emails` and `text`.',
    oneOf: [{ required: ['emails'] }, { required: ['text'] }],
  });

const VerifyFile = z
  .strictObject({
    file: z.file('must be a file, .csv or .txt').describe('.csv or .txt, at most 64 KB'),
    mode: Mode,
  })
  .meta({ id: 'VerifyFile' });

const Verification = z
  .object({
    email: z.string(),
    deliverable: z.enum(verdicts),
    syntax_valid: z.boolean(),
    domain: z.string().nullable().describe('Lower-case ASCII; null when it is no domain.'),
    has_mx: z.boolean(),
    is_disposable: z.boolean().describe('A throwaway domain, by the lists or by who takes its mail.'),
    is_role: z.boolean().describe('For a task and not a person: `info`, `sales`.'),
    reason: z.enum(reasons),
    checked: z.enum(['syntax', 'dns', 'smtp']).describe('The deepest step done.'),
    is_free: z.boolean().describe('The domain is that of a mail provider for everybody.'),
    suggestion: z.string().nullable().describe('What was probably meant, when the domain looks like a typo.'),
    normalized: z
      .string()
      .nullable()
      .describe('One spelling for all of a mailbox, to compare by; never send to it.'),
    lists_date: z.iso.date().describe('The release of the lists of throwaway domains.'),
    smtp: z
      .object({
        probe: z.enum(['completed', 'skipped', 'failed']),
        rcpt_code: z.int().nullable(),
        catch_all: z.boolean().nullable().describe('The domain takes mail for any address; null: not known.'),
        reason: z.string(),
      })
      .optional()
      .describe('Only in full mode.'),
  })
  .meta({ id: 'Verification' });

const BatchVerification = z
  .object({
    mode: z.enum(modes),
    results: z.array(Verification),
    summary: z.object({
      total: z.int(),
      deliverable: z.int(),
      risky: z.int(),
      undeliverable: z.int(),
      unknown: z.int(),
    }),
  })
  .meta({ id: 'BatchVerification' });

/** Full mode is the operator's to open, and the plan's to have. */
const entitleMode: EntitleBody = (body, { account }, { settings, plans }) => {
  if (typeof body !== 'object' || body === null || !('mode' in body) || body.mode !== 'full') return;
  if (!settings.verify_full) fail('smtp_verify_disabled');
  if (plans[account.plan].full_verify === 0) fail('verify_full_entitlement_required');
};

const tag = 'Verification';
const budgets = ['verify_key_per_hour', 'verify_account_per_hour'] as const;

const route = routeOn<VerificationServices>();

export const verificationRoutes = [
  route({
    name: 'verifyEmail',
    method: 'POST',
    path: '/api/v1/verify',
    summary: 'Whether an address can get mail, as far as can be known',
    tag,
    budgets,
    entitleBody: entitleMode,
    body: Verify,
    gives: { 200: dataOf(Verification) },
    fails: ['smtp_verify_disabled', 'verify_full_entitlement_required'],
    waits: true,
    async run({ services, caller, request, charge, body: { email, mode } }) {
      charge(1);
      const verifier = services.verifier;
      const asker = caller.account.id;
      const inquiry = verifier.begin({ mode, asker, late: 'dns_error' }, SINGLE_MS, request.signal);
      try {
        services.meter.count(caller.account.no, 1);
        return ok(await verifier.goOn(verifier.look(email), inquiry));
      } finally {
        inquiry.end();
      }
    },
  }),
  route({
    name: 'verifyBatch',
    method: 'POST',
    path: '/api/v1/verify/batch',
    summary: 'Up to 100 addresses (25 in full mode): as a list, as pasted text, or as a file',
    tag,
    budgets,
    entitleBody: entitleMode,
    body: VerifyBatch,
    form: { schema: VerifyFile, bytesMax: FILE_BYTES_MAX, too_large: 'file_too_large' },
    gives: { 200: dataOf(BatchVerification) },
    fails: [
      ...(['smtp_verify_disabled', 'verify_full_entitlement_required', 'batch_too_large'] as const),
      ...(['file_too_large', 'unsupported_file_type', 'malformed_file'] as const),
    ],
    waits: true,
    async run({ services, caller, request, charge, body }) {
      const { field, emails } = await addressesOf(body);
      const most = rowsMax[body.mode];
      if (emails.length === 0) failField(field, 'has no address');
      if (emails.length > most) {
        fail('batch_too_large', {
          fields: { [field]: [`has ${emails.length} addresses; ${most} are taken`] },
        });
      }
      charge(emails.length);
      services.meter.count(caller.account.no, emails.length);
      const asked = { mode: body.mode, asker: caller.account.id };
      return ok(await verifyBatch(services.verifier, emails, asked, request.signal));
    },
  }),
];

async function addressesOf(body: z.output<typeof VerifyBatch> | z.output<typeof VerifyFile>) {
  if ('file' in body) return { field: 'file', emails: tokensIn(await textOf(body.file)) };
  if (body.text !== undefined) return { field: 'text', emails: tokensIn(body.text) };
  return { field: 'emails', emails: uniqueTokens(body.emails ?? []) };
}
