/** The checks of a mail on the wire, and as the parser process reports them (features/ingest/parser-answers.ts). */
import { z } from 'zod';
import { accessibilityRules, headerRules, linkProblems, unsubscribeProblems } from '../../rules/checks.ts';

const texts = z.array(z.string());
const percent = z.number().min(0).max(100);

const enumerateValues = <Text extends string>(table: Readonly<Record<string, Text>>) =>
  z.enum(Object.values(table) as [Text, ...Text[]]);
const enumerateNames = <Name extends string>(table: Readonly<Record<Name, string>>) =>
  z.enum(Object.keys(table) as [Name, ...Name[]]);

const clientSupport = z
  .object({ full: percent, partial: percent, none: percent })
  .meta({ id: 'ClientSupport' });

const htmlWarning = z
  .object({
    feature: z.string().describe('Its title on caniemail.com.'),
    where: z.string().describe('The first place in the decoded HTML: `line 12: display: flex`.'),
    support: clientSupport.describe(
      'Percent of the tested clients, in their newest tested version, each counted once.',
    ),
    clients: texts.describe('The clients that do not support it.'),
    partly: texts.describe('The clients that support it in part.'),
    url: z.string().nullable().describe('Its page on caniemail.com.'),
  })
  .meta({ id: 'HtmlWarning' });

const html = z
  .object({
    score: z
      .int()
      .min(0)
      .max(100)
      .describe(
        'The mean, over the features that the mail uses, of the percentage of clients that support each.',
      ),
    warnings: z.array(htmlWarning).describe('Features that not every tested client supports, worst first.'),
    data_date: z.iso.date().describe('The day of the data.'),
  })
  .meta({ id: 'HtmlCheck' });

const link = {
  url: z.string().describe('As written.'),
  text: z.string().describe('Of the link; empty for an address in plain text.'),
  problem: enumerateValues(linkProblems).nullable(),
};

const others = {
  list_unsubscribe: z
    .object({
      present: z.boolean(),
      one_click: z.boolean().describe('By RFC 8058.'),
      urls: texts,
      problems: z.array(enumerateValues(unsubscribeProblems)),
    })
    .meta({ id: 'UnsubscribeCheck' })
    .describe('The List-Unsubscribe header (RFC 2369).'),
  size: z
    .object({
      bytes: z.int().min(0).describe('As received.'),
      html_bytes: z.int().min(0).describe('Of the decoded HTML, in UTF-8.'),
      clipped_by: texts.describe('`gmail` above 102 KB (104448 bytes) of HTML.'),
    })
    .meta({ id: 'SizeCheck' }),
  accessibility: z.array(
    z
      .object({
        rule: enumerateNames(accessibilityRules),
        element: z.string().describe('Its place in the decoded HTML: `line 3: <img src="logo.png">`.'),
      })
      .meta({ id: 'AccessibilityProblem' }),
  ),
  headers: z.array(
    z.object({ rule: enumerateNames(headerRules), text: z.string() }).meta({ id: 'HeaderProblem' }),
  ),
};

/** What a parser process found. `unasked`: why the link must not be requested. */
export const Findings = z.strictObject({
  html,
  links: z.array(
    z.strictObject({
      ...link,
      unasked: z.enum(['not_web', 'magic_link', 'secret', 'unsubscribe']).nullable(),
    }),
  ),
  ...others,
});

/** Why a link was not requested, or had no answer. */
const fetchReasons = [
  'not_web',
  'magic_link',
  'secret',
  'unsubscribe',
  'refused',
  'unreachable',
  'too_many',
  'too_late',
] as const;

export type FetchReason = (typeof fetchReasons)[number];

const fetchedLink = z
  .object({
    status: z.int().nullable().describe('Of the answer; null when there was none.'),
    location: z.string().nullable().describe('Where the answer redirects to, which is not followed.'),
    reason: z
      .enum(fetchReasons)
      .nullable()
      .describe('Why there is no answer: `refused` by the guard, `too_many` links, and so on.'),
  })
  .meta({ id: 'FetchedLink' });

const checkedLink = z
  .object({ ...link, fetched: fetchedLink.optional().describe('With `fetch=links` only.') })
  .meta({ id: 'CheckedLink' });

export const Checks = z.object({ html, links: z.array(checkedLink), ...others }).meta({ id: 'Checks' });

export type ChecksView = z.output<typeof Checks>;
