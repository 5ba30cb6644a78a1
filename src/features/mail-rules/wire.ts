import { z } from 'zod';
import { mailRules as bounds } from '../../rules/mail-rules.ts';
import { TAG, TAGS_MAX } from '../../rules/tags.ts';

const boolean = z.boolean('must be true or false');

const integer = (min: number, max: number) => {
  const reason = `must be an integer from ${min} to ${max}`;
  return z.int(reason).min(min, reason).max(max, reason);
};

const pattern = z
  .string('must be a string or null')
  .min(1, 'is empty; leave it out instead')
  .max(bounds.patternCharsMax, `has more than ${bounds.patternCharsMax} characters`)
  .refine((text) => text.split('*').length <= bounds.starsMax + 1, `has more than ${bounds.starsMax} stars`)
  .nullable()
  .optional();

const tags = z
  .array(
    z.string('must be tags').regex(TAG, 'must be tags of 1 to 40 characters of a-z 0-9 _ -'),
    'must be an array of tags',
  )
  .max(TAGS_MAX, `has more than ${TAGS_MAX} tags`);

const addresses = z
  .array(
    z.string('must be an address').meta({ minLength: 3, maxLength: 1000 }),
    'must be an array of addresses',
  )
  .max(bounds.forwardMax, `has more than ${bounds.forwardMax} addresses`);

/** The real check is in template.ts, whose errors say more. */
const notice = z
  .strictObject({
    url: z.string('url must be a string').max(2_048, 'url has more than 2048 characters'),
    template: z
      .string('template must be a string of JSON')
      .max(bounds.templateCharsMax, `template has more than ${bounds.templateCharsMax} characters`)
      .meta({ contentMediaType: 'application/json' }),
  })
  .meta({ id: 'NewRuleNotice' });

const ruleFields = {
  name: z
    .string('must be a string')
    .refine(
      (text) => [...text].length <= bounds.nameCharsMax,
      `has more than ${bounds.nameCharsMax} characters`,
    )
    .meta({ maxLength: bounds.nameCharsMax })
    .optional(),
  is_enabled: boolean.optional(),
  position: integer(1, bounds.rulesMax)
    .optional()
    .describe('From 1; the other rules make room. By default, a new rule is the last.'),
  inbox_id: z
    .string('must be the id of an inbox, or null')
    .nullable()
    .optional()
    .describe('Only mail to this inbox.'),
  from: pattern.describe(
    'Text that the From header contains or, with `*` for any text, matches as a whole. Case-insensitive.',
  ),
  to: pattern.describe('Like `from`, for the recipient with its +tag.'),
  subject: pattern.describe('Like `from`, for the subject.'),
  has_code: boolean
    .nullable()
    .optional()
    .describe('true: only mail with a one-time code; false: only mail without one.'),
  tags: tags.optional().describe('Tags to add.'),
  mark_read: boolean.optional(),
  delete_after_days: integer(1, bounds.deleteDaysMax).nullable().optional(),
  forward_to: addresses
    .optional()
    .describe('Approved recipients (GET /outbound_allowlist) to forward the mail to, unchanged.'),
  notify: notice
    .nullable()
    .optional()
    .describe('Where to post a JSON body of your own, with placeholders such as `{{subject}}`.'),
  stop: boolean.optional().describe('true: after a match, later rules are not tried.'),
};

export const NewRule = z.strictObject(ruleFields).meta({ id: 'NewRule' });

export const RuleUpdate = z
  .strictObject(ruleFields)
  .refine((changes) => Object.keys(changes).length > 0, {
    path: ['body'],
    // An unknown field is the only thing reported.
    when: ({ issues }) => issues.length === 0,
    message: 'must have at least one field',
  })
  .meta({ id: 'RuleChanges', minProperties: 1 });

export type RuleRequest = z.output<typeof NewRule>;

const NoticeShape = z.object({ url: z.string(), template: z.string() }).meta({ id: 'RuleNotice' });

export const RuleShape = z
  .object({
    id: z.string(),
    name: z.string(),
    is_enabled: z.boolean(),
    position: z.int(),
    inbox_id: z.string().nullable(),
    inbox_address: z.string().nullable().describe('Null without `inbox_id`, or if the inbox was deleted.'),
    from: z.string().nullable(),
    to: z.string().nullable(),
    subject: z.string().nullable(),
    has_code: z.boolean().nullable(),
    tags: z.array(z.string()),
    mark_read: z.boolean(),
    delete_after_days: z.int().nullable(),
    forward_to: z.array(z.string()),
    notify: NoticeShape.nullable(),
    stop: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Rule' });

export type RuleView = z.output<typeof RuleShape>;

export const ruleActions = ['tag', 'mark_read', 'delete', 'forward', 'notify'] as const;
const action = z.enum(ruleActions);

/** The fields of a rule that is not stored, or the id of one that is, or neither for all rules. */
export const DryRunRequest = z
  .strictObject({
    ...ruleFields,
    rule_id: z
      .string('must be the id of a rule')
      .optional()
      .describe('Tries one stored rule, even if it is off. Without it and a rule, tries all that are on.'),
    cursor: z.string('must be a cursor').nullable().optional(),
  })
  .meta({ id: 'RuleDryRunRequest' });

const planned = z
  .object({
    rule_id: z.string().nullable(),
    rule_name: z.string(),
    action,
    detail: z.string().describe('The tag, the days, the address, or the host that is notified.'),
    refused: z.string().nullable().describe('Why it would be refused; null if it would be done.'),
  })
  .meta({ id: 'RulePlannedAction' });

export const DryRunMatch = z
  .object({
    message_id: z.string(),
    inbox_id: z.string(),
    from: z.string(),
    subject: z.string(),
    received_at: z.iso.datetime(),
    actions: z.array(planned),
  })
  .meta({ id: 'RuleDryRunMatch' });

export type DryRunMatchView = z.output<typeof DryRunMatch>;

export const MessageDiaryEntry = z
  .object({
    at: z.iso.datetime(),
    rule_id: z.string(),
    rule_name: z.string(),
    action,
    detail: z.string().describe('The tag, the days, the address, or the host that is notified.'),
    status: z.enum(['done', 'pending', 'failed', 'refused']),
    reason: z
      .string()
      .nullable()
      .describe('Why it was refused or failed. For a notice, also what the receiver answered.'),
    attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable(),
    outbound_email_id: z.string().nullable().describe('The email that a forward became.'),
  })
  .meta({ id: 'MessageDiaryEntry' });

export type MessageDiaryEntryView = z.output<typeof MessageDiaryEntry>;
