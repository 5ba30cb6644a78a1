import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { describeData } from '../../platform/http/page.ts';
import { ok } from '../../platform/http/reply.ts';
import { type EntitleBody, routeOn } from '../../platform/http/route.ts';
import { rowsMax, verifyBatch } from './batch.ts';
import { dedupeTokens, splitTokens, TOKEN_CHARS_MAX } from './tokens.ts';
import { FILE_BYTES_MAX, readUpload } from './upload.ts';
import { modes, reasons, verdicts } from './verdict.ts';
import type { VerificationServices } from './verifier.ts';

/** Time for a single address. The DNS queries and the probe end by then. */
const SINGLE_MS = 40_000;
const Mode = z.enum(modes, 'must be safe or full').default('safe');

/** Anything that does not match is no address at all, and gets no verdict (docs/decisions.md, Verification). */
const Email = z
  .string('must be an email address')
  .max(TOKEN_CHARS_MAX, `must have at most ${TOKEN_CHARS_MAX} characters`)
  .regex(/^[\s\S]+@[^@]+$/, 'must be an email address: one @ between two parts');

const Verify = z.strictObject({ email: Email, mode: Mode }).meta({ id: 'Verify' });

/**
 * Makes one error for all entries that are not strings: a body can have 131,000 of them, and one error for each is
 * slow.
 */
const Emails = z
  .array(z.unknown(), 'must be an array of addresses')
  .refine((emails) => emails.every((email) => typeof email === 'string'), 'must be strings')
  .transform((emails) => emails as string[])
  .meta({
    items: { type: 'string' },
    minItems: 1,
    description: 'At most 100 different addresses; 25 in full mode.',
  });

const PastedText = z.string('must be a string').meta({
  pattern: '[^\\s,;]',
  description: 'Addresses separated by line breaks, commas, semicolons or whitespace.',
});

/**
 * For the OpenAPI document: a named object for each of the two, because a `oneOf` beside fields confuses generators.
 */
const VerifyBatchForms = z
  .union([
    z.strictObject({ emails: Emails, mode: Mode }).meta({ id: 'VerifyList' }),
    z.strictObject({ text: PastedText, mode: Mode }).meta({ id: 'VerifyText' }),
  ])
  .meta({ id: 'VerifyBatch', description: 'Exactly one of `emails` and `text`.' });

const VerifyBatch = z
  .strictObject({ emails: Emails.optional(), text: PastedText.optional(), mode: Mode })
  .superRefine(({ emails, text }, context) => {
    if ((emails === undefined) !== (text === undefined)) return;
    const message = emails ? 'send emails or text, not both' : 'is required: emails, text, or a file';
    for (const field of ['emails', 'text']) context.addIssue({ code: 'custom', path: [field], message });
  })
  .meta({ documentedAs: VerifyBatchForms });

const VerifyFile = z
  .strictObject({
    file: z.file('must be a file named .csv or .txt').describe('.csv or .txt, at most 64 KB'),
    mode: Mode,
  })
  .meta({ id: 'VerifyFile' });

const SmtpProbe = z
  .object({
    probe: z.enum(['completed', 'skipped', 'failed']),
    rcpt_code: z.int().nullable(),
    catch_all: z
      .boolean()
      .nullable()
      .describe('Whether the domain accepts mail for any address; null if unknown.'),
    reason: z.string(),
  })
  .meta({ id: 'SmtpProbe' });

const Verification = z
  .object({
    email: z.string(),
    deliverable: z.enum(verdicts),
    syntax_valid: z.boolean(),
    domain: z.string().nullable().describe('In lower-case ASCII; null if it is not a domain.'),
    has_mx: z.boolean(),
    is_disposable: z
      .boolean()
      .describe('Whether the domain is disposable, by the lists or by the hosts that accept its mail.'),
    is_role: z
      .boolean()
      .describe('Whether the address belongs to a role, such as `info` or `sales`, instead of a person.'),
    reason: z.enum(reasons),
    checked: z.enum(['syntax', 'dns', 'smtp']).describe('The deepest check that was completed.'),
    is_free: z.boolean().describe('Whether the domain belongs to a public mail provider.'),
    suggestion: z
      .string()
      .nullable()
      .describe('The address that was probably meant, if the domain looks like a typo.'),
    normalized: z
      .string()
      .nullable()
      .describe('The same for every spelling of a mailbox. Only for comparing: never send to it.'),
    lists_date: z.iso.date().describe('The release date of the lists of disposable domains.'),
    smtp: SmtpProbe.optional().describe('Only in full mode.'),
  })
  .meta({ id: 'Verification' });

const VerificationSummary = z
  .object({
    total: z.int(),
    deliverable: z.int(),
    risky: z.int(),
    undeliverable: z.int(),
    unknown: z.int(),
  })
  .meta({ id: 'VerificationSummary' });

const BatchVerification = z
  .object({
    mode: z.enum(modes),
    results: z.array(Verification),
    summary: VerificationSummary,
  })
  .meta({ id: 'BatchVerification' });

/** Full mode must be enabled by the operator and included in the plan. */
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
    summary: 'Verify an address',
    description: 'Returns whether an address can receive mail, as far as that can be known.',
    tag,
    budgets,
    entitleBody: entitleMode,
    body: Verify,
    responses: { 200: describeData(Verification) },
    fails: ['smtp_verify_disabled', 'verify_full_entitlement_required'],
    waits: true,
    async run({ services, caller, request, charge, body: { email, mode } }) {
      charge(1);
      const verifier = services.verifier;
      const accountId = caller.account.id;
      const inquiry = verifier.begin({ mode, accountId, lateReason: 'dns_error' }, SINGLE_MS, request.signal);
      try {
        services.meter.count(caller.account.no, 1);
        return ok(await verifier.complete(verifier.checkOffline(email), inquiry));
      } finally {
        inquiry.end();
      }
    },
  }),
  route({
    name: 'verifyBatch',
    method: 'POST',
    path: '/api/v1/verify/batch',
    summary: 'Verify several addresses',
    description: 'Verifies up to 100 addresses (25 in full mode), given as a list, pasted text or a file.',
    tag,
    budgets,
    entitleBody: entitleMode,
    body: VerifyBatch,
    form: { schema: VerifyFile, bytesMax: FILE_BYTES_MAX, tooLarge: 'file_too_large' },
    responses: { 200: describeData(BatchVerification) },
    fails: [
      'smtp_verify_disabled',
      'verify_full_entitlement_required',
      'batch_too_large',
      'file_too_large',
      'unsupported_file_type',
      'malformed_file',
    ],
    waits: true,
    async run({ services, caller, request, charge, body }) {
      const { field, emails } = await readAddresses(body);
      const most = rowsMax[body.mode];
      if (emails.length === 0) failField(field, 'contains no address');
      if (emails.length > most) {
        fail('batch_too_large', {
          fields: { [field]: [`has ${emails.length} addresses; at most ${most} are accepted`] },
        });
      }
      charge(emails.length);
      services.meter.count(caller.account.no, emails.length);
      const asked = { mode: body.mode, accountId: caller.account.id };
      return ok(await verifyBatch(services.verifier, emails, asked, request.signal));
    },
  }),
];

async function readAddresses(body: z.output<typeof VerifyBatch> | z.output<typeof VerifyFile>) {
  if ('file' in body) return { field: 'file', emails: splitTokens(await readUpload(body.file)) };
  if (body.text !== undefined) return { field: 'text', emails: splitTokens(body.text) };
  return { field: 'emails', emails: dedupeTokens(body.emails ?? []) };
}
