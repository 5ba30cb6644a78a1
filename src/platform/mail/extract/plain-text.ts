/** Reads a text part into lines and links, like html/visible-text.ts does with HTML. */
import { isDisplayedAsIs, normalize, toDisplayed } from '../displayed-text.ts';
import {
  FOUND_LINKS_MAX,
  type FoundLink,
  LINES_MAX,
  LINK_TEXT_MAX,
  type Line,
  type Page,
  PLAIN_LOOK,
  VISIBLE_CHARS_MAX,
} from '../html/page.ts';
import { UNSPACED_LETTERS } from './lexicon.ts';
import { hasSecret } from './link-secret.ts';

/** Characters of text that are read. */
const TEXT_CHARS_MAX = 128 * 1024;
/** A longer line is a blob, not words. */
const LINE_CHARS_MAX = 4000;

/** Full-width marks end an address: a sentence in Chinese or Japanese continues without a space. */
const URL_IN_TEXT =
  /\b(?:https?:\/\/|mailto:)[^\s<>"'`{}|\\^、。，：；！？（）「」『』【】《》〈〉“”]{3,8000}/gi;
/** The first letter of a word after an address, or of a name in it ("/wiki/日本"). No value has it: "name=太郎". */
const WORD_AFTER = new RegExp(`(?<!=[${UNSPACED_LETTERS}]{0,40})[${UNSPACED_LETTERS}]`);
const RUNS = [{ start: 0, look: PLAIN_LOOK }];
/** "On … wrote:", and what other mail programs write instead. */
const QUOTE_HEAD =
  /^(?:-{2,}\s*(?:original|ursprüngliche|mensaje|message d|messaggio|oorspronkelijk|исходное|原始)|(?:on|am|le|el|em|il|op|den|dnia|dne)\b.{5,200}(?:wrote|schrieb|écrit|escribió|escreveu|ha scritto|schreef|skrev|napisał|napsal)[^:]{0,80}:\s*$|.{5,200}(?:пишет|написал|написав|写道|寫道|のメール|님이 작성|yazdı)\s?[:：]\s*$)/i;

/** Whether a trimmed line may be a quote head. A cheap first check: it begins or ends in one of a few ways. */
function mayBeQuoteHead(line: string): boolean {
  const last = line[line.length - 1];
  return last === ':' || last === '：' || (line[0] === '-' && line[1] === '-');
}

/** Returns what a person reads in a text part. */
export function readText(text: string): Page {
  const page: Page = { lines: [], links: [], actions: [], rest: text.slice(TEXT_CHARS_MAX) };
  let chars = 0;
  let belowQuote = false;
  const whole = joinBrokenUrls(text.slice(0, TEXT_CHARS_MAX));
  const isShown = isDisplayedAsIs(whole);
  const raws = whole.split('\n');
  for (const [index, raw] of raws.entries()) {
    if (page.lines.length >= LINES_MAX || chars > VISIBLE_CHARS_MAX) {
      page.rest = raws.slice(index).join('\n') + page.rest;
      break;
    }
    const line = raw.slice(0, LINE_CHARS_MAX);
    const read = (isShown ? line : toDisplayed(line)).trim();
    if (read === '') continue;
    if (mayBeQuoteHead(read) && QUOTE_HEAD.test(read)) belowQuote = true;
    const quoted = belowQuote || read[0] === '>';
    page.lines.push({ text: quoted ? read.replace(/^[> ]+/, '') : read, runs: RUNS, row: -1, quoted });
    chars += read.length;
    if (raw.includes(':')) addLinks(page, raw, quoted);
  }
  return page;
}

/** Joins addresses in angle brackets that are broken over lines: the brackets show where they end. */
function joinBrokenUrls(text: string): string {
  const lines = text.includes('\r') ? text.replaceAll('\r', '') : text;
  if (!lines.includes('<')) return lines;
  return lines.replace(/<(https?:\/\/[^<>]{10,4000})>/gi, (whole, url: string) =>
    url.includes('\n') ? `<${url.replace(/\s+/g, '')}>` : whole,
  );
}

function addLinks(page: Page, raw: string, quoted: boolean): void {
  const line = page.lines.length - 1;
  const { text } = page.lines[line]!;
  let from = 0;
  let start = 0;
  for (const { url, index, end } of findUrls(raw)) {
    if (page.links.length >= FOUND_LINKS_MAX) return;
    const shown = normalize(url);
    const found = text.indexOf(shown, start);
    const label =
      readLabelBefore(raw.slice(from, index)) || (from === 0 ? readLabelAbove(page.lines[line - 1]) : '');
    // The end of a long line is not kept: a link in it begins after the text.
    page.links.push({ ...makeTextLink(url, line, found < 0 ? index : found, quoted), text: label });
    from = end;
    if (found >= 0) start = found + shown.length;
  }
}

const makeTextLink = (url: string, line: number, start: number, quoted: boolean): FoundLink => ({
  url,
  text: '',
  line,
  start,
  hidden: false,
  quoted,
  button: false,
  picture: false,
  size: 0,
});

/** Returns the words just before an address, its label: "Reset password: https://…", "Log in (https://…)". */
function readLabelBefore(text: string): string {
  return normalize(text.slice(-LINK_TEXT_MAX))
    .replace(/[\s<([:：-]+$/, '')
    .trim();
}

/** Returns the last sentence of the line above an address if it ends with a colon: "Reset your password here:". */
function readLabelAbove(above: Line | undefined): string {
  if (!above || !/[:：]$/.test(above.text)) return '';
  return readLabelBefore(above.text.split(/[.!?]\s|[。！？]/).at(-1) ?? '');
}

/** Finds addresses in the lines of HTML, where they are text and not links. */
export function findBareLinks(lines: Line[]): FoundLink[] {
  const found: FoundLink[] = [];
  for (let index = 0; index < lines.length; index++) {
    const { text, quoted } = lines[index]!;
    if (!text.includes(':')) continue;
    for (const { url, index: start } of findUrls(text))
      if (found.length < FOUND_LINKS_MAX) found.push(makeTextLink(url, index, start, quoted));
  }
  return found;
}

/** Finds web and mail addresses in a text, without trailing punctuation. */
export function* findUrls(text: string): Generator<{ url: string; index: number; end: number }> {
  for (const found of text.matchAll(URL_IN_TEXT)) {
    const address = withoutTail(found[0]);
    const url = withoutWords(address + findSecretEnd(found, address));
    yield { url, index: found.index, end: found.index + url.length };
  }
}

/**
 * Removes words that directly follow an address with a secret: "https://…を開いて", "https://…로". Programs encode such
 * letters in an address of their own.
 */
function withoutWords(url: string): string {
  const end = url.search(WORD_AFTER);
  if (end < 0) return url;
  const address = withoutTail(url.slice(0, end));
  const parsed = URL.parse(address);
  return parsed && hasSecret(parsed) ? address : url;
}

/** The beginning of emphasised words before an address: "_see https://…_", "~~https://…~~". */
const EMPHASIS = /(?:^|[\s(>])[_~]{1,2}(?:[^\s_~]|$)/;
/** Characters before an address that are searched for it. */
const EMPHASIS_CHARS = 100;

/** Returns marks after an address that end its random string, and not emphasised words: a token may end with `_`. */
function findSecretEnd({ 0: whole, index, input }: RegExpExecArray, address: string): string {
  const marks = /^[_~]+/.exec(whole.slice(address.length))?.[0];
  if (!marks || EMPHASIS.test(input.slice(Math.max(0, index - EMPHASIS_CHARS), index))) return '';
  const parsed = URL.parse(address);
  return parsed && hasSecret(parsed) ? marks : '';
}

function countCharacter(character: string, text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && at < end; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function withoutTail(url: string): string {
  // Markdown: "[https://…](https://…)".
  const bracket = url.indexOf('](');
  let end = bracket < 0 ? url.length : bracket;
  // "https://…/a_(b)" ends with its own parenthesis, and in "(https://…/a_(b))" the second one is the text's.
  let unopened = countCharacter(')', url, end) - countCharacter('(', url, end);
  for (; end > 0; end--) {
    const last = url[end - 1]!;
    if (last === ')' && unopened-- <= 0) break;
    if (!/[.,;:!?)\]*_~'"»”’。，、）】」]/.test(last)) break;
  }
  return url.slice(0, end);
}
