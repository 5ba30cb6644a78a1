/**
 * Schemas of the checks of a mail: on the wire, and as the parser process reports them
 * (features/ingest/parser-answers.ts).
 */
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
    feature: z.string().describe("The feature's title on caniemail.com."),
    where: z.string().describe('Where the decoded HTML first uses it: `line 12: display: flex`.'),
    support: clientSupport.describe(
      'Percentages of the tested clients. Each client counts once, in its newest tested version.',
    ),
    clients: texts.describe('The clients that do not support it.'),
    partly: texts.describe('The clients that support it only partly.'),
    url: z.string().nullable().describe("The feature's page on caniemail.com."),
  })
  .meta({ id: 'HtmlWarning' });

const html = z
  .object({
    score: z
      .int()
      .min(0)
      .max(100)
      .describe(
        'The percentage of clients that support a feature, averaged over the features that the mail uses.',
      ),
    warnings: z.array(htmlWarning).describe('Features that not every tested client supports, worst first.'),
    data_date: z.iso.date().describe('The date of the caniemail.com data.'),
  })
  .meta({ id: 'HtmlCheck' });

const link = {
  url: z.string().describe('The URL as the mail has it.'),
  text: z.string().describe("The link's text; empty for a URL in plain text."),
  problem: enumerateValues(linkProblems).nullable(),
};

const others = {
  list_unsubscribe: z
    .object({
      present: z.boolean(),
      one_click: z.boolean().describe('Whether it offers one-click unsubscribe (RFC 8058).'),
      urls: texts,
      problems: z.array(enumerateValues(unsubscribeProblems)),
    })
    .meta({ id: 'UnsubscribeCheck' })
    .describe('The List-Unsubscribe header (RFC 2369).'),
  size: z
    .object({
      bytes: z.int().min(0).describe('The size of the mail as received.'),
      html_bytes: z.int().min(0).describe('The size of the decoded HTML in UTF-8.'),
      clipped_by: texts.describe('Clients that clip the mail: `gmail` above 102 KB (104448 bytes) of HTML.'),
    })
    .meta({ id: 'SizeCheck' }),
  accessibility: z.array(
    z
      .object({
        rule: enumerateNames(accessibilityRules),
        element: z.string().describe('Where it is in the decoded HTML: `line 3: <img src="logo.png">`.'),
      })
      .meta({ id: 'AccessibilityProblem' }),
  ),
  headers: z.array(
    z.object({ rule: enumerateNames(headerRules), text: z.string() }).meta({ id: 'HeaderProblem' }),
  ),
};

/** The findings of a parser process. `skipReason` is the reason why a link must not be requested. */
export const Findings = z.strictObject({
  html,
  links: z.array(
    z.strictObject({
      ...link,
      skipReason: z.enum(['not_web', 'magic_link', 'secret', 'unsubscribe']).nullable(),
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
    status: z.int().nullable().describe('The HTTP status; null without an answer.'),
    location: z.string().nullable().describe('Where the answer redirects to. Redirects are not followed.'),
    reason: z
      .enum(fetchReasons)
      .nullable()
      .describe(
        'Why there is no answer; null if there is one. `refused`: the guard does not allow the address.',
      ),
  })
  .meta({ id: 'FetchedLink' });

const checkedLink = z
  .object({ ...link, fetched: fetchedLink.optional().describe('Only with `fetch=links`.') })
  .meta({ id: 'CheckedLink' });

export const Checks = z.object({ html, links: z.array(checkedLink), ...others }).meta({ id: 'Checks' });

export type ChecksView = z.output<typeof Checks>;
