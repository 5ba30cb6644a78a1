import type { ChecksView } from '../../features/checks/wire.ts';
import { unsubscribeProblems } from '../../rules/checks.ts';
import { words } from '../words/words.ts';

/*
 * The results of the checks in the language of the pages. The API returns them in English (src/rules/checks.ts,
 * src/platform/mail/checks); a text that is not recognised stays in English.
 */

/** `line 12: <video controls>`; with the colours before it for a contrast. */
export function translatePlace(place: string): string {
  const t = words.checks;
  const [, line, what = ''] = /^line (\d+): (.*)$/s.exec(place) ?? [];
  if (line === undefined) return place;
  if (what === 'no <html> element') return t.place(line, t.accessibility.noRoot);
  const [, text, ground, rest] = /^([^<>]{1,40}) on ([^<>]{1,40}), ([\d.]+:1 .*)$/s.exec(what) ?? [];
  const translated = text && ground ? `${t.accessibility.onGround(text, ground)}, ${rest}` : what;
  return t.place(line, translated);
}

type UnsubscribeProblem = keyof typeof unsubscribeProblems;

export function translateUnsubscribe(text: ChecksView['list_unsubscribe']['problems'][number]): string {
  const names = Object.keys(unsubscribeProblems) as UnsubscribeProblem[];
  const name = names.find((each) => unsubscribeProblems[each] === text);
  return name ? words.checks.unsubscribe.problems[name] : text;
}

/** Problems that quote what the header has. */
const quoting = { date: 'badDate', message_id: 'badId', from: 'badFrom' } as const;

export function translateHeader({ rule, text }: ChecksView['headers'][number]): string {
  const t = words.checks.headers;
  if (rule === 'text_part') return t.noText;
  if (/^There is neither /.test(text)) return t.noRecipient;
  const [, missing] = /^There is no ([\w-]+) header\.$/.exec(text) ?? [];
  if (missing) return t.missing(missing);
  const [, repeated] = /^There is more than one ([\w-]+) header\.$/.exec(text) ?? [];
  if (repeated) return t.repeated(repeated);
  if (rule === 'to') return t.noAddress;
  const [, value] = /^The [\w-]+ header [^:]*: (.*)$/s.exec(text) ?? [];
  return value === undefined ? text : t[quoting[rule]](value);
}
