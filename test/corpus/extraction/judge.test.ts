import { expect, test } from 'bun:test';
import { ownMails } from './mails.ts';

const mails = ownMails('judge');
type Mail = (typeof mails)[number];

function unescapeHtml(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** What a reader sees of the mail: the subject, the text, and the HTML without tags but with its alt texts. */
function readWords(mail: Mail): string {
  const html = mail.html.replace(/<style>.*?<\/style>/gs, '').replace(/<title>.*?<\/title>/gs, '');
  const alts = [...html.matchAll(/ alt="([^"]*)"/g)].map((match) => match[1]!);
  // A digit in its own box still reads as one code, so spans leave no gap.
  const words = html.replace(/<\/?span[^>]*>/g, '').replace(/<[^>]+>/g, ' ');
  return [mail.subject, mail.text, unescapeHtml([words, ...alts].join('\n'))].join('\n');
}

function readLinks(mail: Mail): string[] {
  const links = [...mail.html.matchAll(/ href="([^"]*)"/g)].map((match) => unescapeHtml(match[1]!));
  return [...links, ...(mail.text.match(/https?:\/\/[^\s<>()\]]+/g) ?? [])];
}

/** Values that a sender fills in: words of at least four signs with a digit, but neither years nor round amounts. */
function readFillers(mail: Mail): Set<string> {
  const all = `${mail.from}\n${readWords(mail)}\n${readLinks(mail).join('\n')}`;
  const words = all.match(/[A-Za-z]*\d[A-Za-z\d]*/g) ?? [];
  return new Set(words.filter((word) => word.length >= 4 && !/^(20\d\d|\d0+)$/.test(word)));
}

/** The values that more than one mail has, each with the names of those mails. */
function findRepeats(valuesIn: (mail: Mail) => Iterable<string>): string[] {
  const users = new Map<string, string[]>();
  for (const mail of mails) {
    for (const value of valuesIn(mail)) users.set(value, [...(users.get(value) ?? []), mail.name]);
  }
  return [...users]
    .filter(([, names]) => names.length > 1)
    .map(([value, names]) => `${value}: ${names.join(', ')}`);
}

test('every labelled code and link of the judge set occurs in its mail', () => {
  const lost = mails.filter(
    (mail) =>
      (mail.otp !== null && !readWords(mail).includes(mail.otp)) ||
      (mail.magic_link !== null && !readLinks(mail).includes(mail.magic_link)),
  );
  expect(lost.map((mail) => mail.name)).toEqual([]);
});

test('no two mails of the judge set share a name, a sender or a filled value', () => {
  expect(findRepeats((mail) => [mail.name])).toEqual([]);
  expect(findRepeats((mail) => [/@([^>]+)>$/.exec(mail.from)?.[1] ?? mail.from])).toEqual([]);
  expect(findRepeats(readFillers)).toEqual([]);
});

test('the judge set has mails with codes, with links and with neither, in at least forty languages', () => {
  expect(new Set(mails.map((mail) => mail.language)).size).toBeGreaterThanOrEqual(40);
  expect(mails.filter((mail) => mail.otp !== null).length).toBeGreaterThan(mails.length / 3);
  expect(mails.filter((mail) => mail.magic_link !== null).length).toBeGreaterThan(mails.length / 5);
  expect(mails.filter((mail) => mail.otp === null && mail.magic_link === null).length).toBeGreaterThan(
    mails.length / 4,
  );
});
