import { readFileSync } from 'node:fs';
import { writePlainJson } from '../../platform/core/plain-json.ts';
import type { MailFindings } from '../../platform/mail/checks/findings.ts';
import type { ParsedMail } from '../../platform/mail/parse.ts';
import { given, type LocalCommand, UsageError } from './command.ts';
import { FAILED } from './exit-status.ts';
import { requireReadable } from './file-fault.ts';
import { plainText } from './plain-text.ts';

/** Most warnings that are printed; --json has all of them. */
const WARNINGS_SHOWN = 20;

export const check: LocalCommand = {
  name: 'check',
  meaning: 'check a mail file: HTML support, links, unsubscribe, size, accessibility, headers',
  arguments: [{ name: 'FILE', meaning: 'a mail as .eml; - reads standard input' }],
  flags: [
    {
      name: 'min-score',
      value: 'N',
      check: readScore,
      meaning: 'fail below this score of HTML support, from 0 to 100',
    },
  ],
  exits: { [FAILED]: 'failed: the score is below --min-score, or the file could not be read' },
  examples: [
    'postern check welcome.eml',
    'postern check welcome.eml --min-score 90 --json | jq .data.html.score',
  ],
  needsNoSettings: true,
  async runHere({ input, json }) {
    const findings = await checkFile(given(input, 'file'));
    const links = findings.links.map(({ url, text, problem }) => ({ url, text, problem }));
    process.stdout.write(
      json ? `${writePlainJson({ data: { ...findings, links } })}\n` : `${formatFindings(findings)}\n`,
    );
    const least = input.min_score === undefined ? 0 : readScore(input.min_score);
    if (findings.html.score >= least) return 0;
    process.stderr.write(`The score ${findings.html.score} is below ${least}.\n`);
    return FAILED;
  },
};

function readScore(text: string): number {
  const score = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(score <= 100)) throw new UsageError('--min-score must be a number from 0 to 100');
  return score;
}

/** Loads the libraries here, because most commands need none of them. */
async function checkFile(path: string): Promise<MailFindings> {
  const [{ parseMail }, { checkMail }, { cutHeaderSection }, { HEADER_BYTES_MAX }] = await Promise.all([
    import('../../platform/mail/parse.ts'),
    import('../../platform/mail/checks/check.ts'),
    import('../../platform/mail/structure.ts'),
    import('../../platform/mail/bounds.ts'),
  ]);
  const bytes = await readBytes(path);
  const { content, summary }: ParsedMail = await parseMail(bytes);
  return checkMail({
    head: Buffer.from(cutHeaderSection(bytes, HEADER_BYTES_MAX)).toString(),
    text: content.text,
    html: content.html,
    bytes: bytes.length,
    magic_link: summary.magic_link,
  });
}

async function readBytes(path: string): Promise<Uint8Array> {
  if (path === '-') return Bun.stdin.bytes();
  requireReadable(path);
  return readFileSync(path);
}

function formatFindings(findings: MailFindings): string {
  const { html, links, list_unsubscribe: unsubscribe, size, accessibility, headers } = findings;
  const faulty = links.filter(({ problem }) => problem !== null);
  const sections: [string, string[]][] = [
    [
      `HTML support: ${html.score} of 100 (caniemail data of ${html.data_date})`,
      [
        ...html.warnings
          .slice(0, WARNINGS_SHOWN)
          .map(({ feature, where, support }) => `${feature}, supported by ${support.full} %, ${where}`),
        ...(html.warnings.length > WARNINGS_SHOWN
          ? [`and ${html.warnings.length - WARNINGS_SHOWN} more; --json lists all`]
          : []),
      ],
    ],
    [
      `Links: ${links.length}, ${faulty.length} with a problem`,
      faulty.map(({ url, problem }) => `${problem}: ${url}`),
    ],
    [
      unsubscribe.present
        ? `List-Unsubscribe: ${unsubscribe.one_click ? 'one-click' : 'not one-click'}`
        : 'List-Unsubscribe: none',
      unsubscribe.problems,
    ],
    [
      `Size: ${size.bytes} bytes, HTML ${size.html_bytes} bytes`,
      size.clipped_by.map((client) => `clipped by ${client}`),
    ],
    [
      `Accessibility: ${accessibility.length}`,
      accessibility.map(({ rule, element }) => `${rule}, ${element}`),
    ],
    [`Headers: ${headers.length}`, headers.map(({ text }) => text)],
  ];
  return sections
    .map(([title, rows]) => [title, ...rows.map((row) => `  ${plainText(row)}`)].join('\n'))
    .join('\n');
}
