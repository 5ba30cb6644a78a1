import type {
  accessibilityRules,
  headerRules,
  linkProblems,
  unsubscribeProblems,
} from '../../../rules/checks.ts';
import type { Support } from './caniemail.ts';

/** The mail to check, already parsed. It crosses a process boundary, so it is plain data. */
export interface MailToCheck {
  /** The header section. */
  head: string;
  text: string;
  html: string;
  /** Bytes as received. */
  bytes: number;
  /** Never requested. */
  magic_link: string | null;
}

export interface Warning {
  feature: string;
  where: string;
  support: Support;
  clients: string[];
  partly: string[];
  url: string | null;
}

export type LinkProblem = (typeof linkProblems)[keyof typeof linkProblems];
export type UnsubscribeProblem = (typeof unsubscribeProblems)[keyof typeof unsubscribeProblems];

/** Why a link must not be requested. */
export type SkipReason = 'not_web' | 'magic_link' | 'secret' | 'unsubscribe';

export interface JudgedLink {
  url: string;
  text: string;
  problem: LinkProblem | null;
  /** Null if the link may be requested. */
  skipReason: SkipReason | null;
}

/** What reading a mail finds, without any request. */
export interface MailFindings {
  html: { score: number; warnings: Warning[]; data_date: string };
  links: JudgedLink[];
  list_unsubscribe: { present: boolean; one_click: boolean; urls: string[]; problems: UnsubscribeProblem[] };
  size: { bytes: number; html_bytes: number; clipped_by: string[] };
  accessibility: { rule: keyof typeof accessibilityRules; element: string }[];
  headers: { rule: keyof typeof headerRules; text: string }[];
}

/** Findings of one kind that are listed. */
export const FINDINGS_MAX = 100;
/** Links that are listed. */
export const JUDGED_LINKS_MAX = 200;

const SNIPPET_CHARS_MAX = 80;

/** Formats a place in the mail: `line 12: <video controls>`. */
export function formatPlace(line: number, snippet: string): string {
  const text = snippet
    .slice(0, 4 * SNIPPET_CHARS_MAX)
    .replace(/\s+/g, ' ')
    .trim();
  const cut = text.length > SNIPPET_CHARS_MAX ? `${text.slice(0, SNIPPET_CHARS_MAX - 1)}…` : text;
  return `line ${line}: ${cut.toWellFormed()}`;
}
