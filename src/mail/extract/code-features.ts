/** A candidate's features, gathered from all its places and from the mail. */
import { CODE_FEATURES, type CodeFeature, type CodeVector, type Place } from './code-vector.ts';
import { kind } from './lexicon.ts';
import { formFeatures, placeFeatures } from './place-features.ts';
import { type Reading, share } from './reading.ts';
import { ACT, hasBit, wordFeatures } from './word-features.ts';

const NOTHING_KNOWN = Object.fromEntries(CODE_FEATURES.map((name) => [name, 0])) as CodeVector;

/** Features of one candidate: of each the largest over its places. */
export function codeFeatures(
  reading: Reading,
  places: Place[],
  of_mail: Partial<CodeVector>,
  count: number,
): CodeVector {
  const vector = { ...NOTHING_KNOWN };
  take(vector, of_mail);
  for (const place of places) {
    take(vector, formFeatures(place));
    take(vector, placeFeatures(reading, place));
    take(vector, wordFeatures(place));
  }
  const sources = new Set(places.map(({ part }) => part.source));
  vector.in_subject = sources.has('subject') ? 1 : 0;
  vector.repeated = sources.size > 1 ? 1 : 0;
  vector.only_text = reading.body.source === 'html' && sources.size === 1 && sources.has('text') ? 1 : 0;
  vector.quoted = places.every(({ part, index }) => part.lines[index]!.quoted) ? 1 : 0;
  const letters = Math.max(vector.mixed, vector.letters);
  vector.letter_order = letters * vector.mail_order;
  vector.letter_promo = letters * vector.mail_promo;
  vector.alone = count === 1 ? 1 : 0;
  vector.crowded = Math.min(1, Math.max(0, count - 2) / 10);
  const { code } = places[0]!.occurrence;
  vector.in_url = reading.links.some(({ link }) => link.url.includes(code)) ? 1 : 0;
  return vector;
}

function take(vector: CodeVector, found: Partial<CodeVector>): void {
  for (const name in found) {
    const value = Number(found[name as CodeFeature]);
    if (value > vector[name as CodeFeature]) vector[name as CodeFeature] = value;
  }
}

const SENDER_AUTH =
  /\b(?:security|secure|verif\w*|auth\w*|account|accounts|login|signin|signup|identity|otp|password|id|notify|access)\b/i;
const SENDER_NEWS =
  /\b(?:news|newsletter|offers?|deals?|marketing|promo\w*|orders?|shop|store|billing|invoices?|receipts?|sales|shipping|tracking|rewards?|digest|updates?|hello|team|bookings?|tickets?)\b/i;

const SUM = /[$€£¥₹₽₩₺₫฿₴₪]\s?\d|\d\s?[$€£¥₹₽₩₺₫฿₴₪円元원]/;
const SUM_WORD = /\b(?:USD|EUR|GBP|INR|total|amount)\b/i;
const DIGIT = /\d/;

const isSum = (text: string) => (DIGIT.test(text) && SUM.test(text)) || SUM_WORD.test(text);

/** Lines with a sum of money: three make a bill. */
const sums = (reading: Reading) =>
  Math.min(1, reading.body.lines.filter(({ text }) => text !== '' && isSum(text)).length / 3);

/** A mail in a language that the tables have, with none of these, says nothing of a code. */
const SPEAKING = [kind.code, kind.strong, kind.pass, kind.verify, kind.signin, kind.reset, kind.enter];

/** What is the same for every candidate of a mail. */
export function mailFeatures(reading: Reading): Partial<CodeVector> {
  const address = /<([^<>]*)>\s*$/.exec(reading.from)?.[1] ?? reading.from;
  const local = address.slice(0, 200).split('@')[0] ?? '';
  const subject = reading.subject?.hits ?? [];
  const subject_acts = hasBit(subject, ACT | kind.code | kind.strong);
  return {
    mail_mute: Number(reading.counts.size > 0 && !SPEAKING.some((bit) => reading.counts.has(bit))),
    subject_promo: Number(hasBit(subject, kind.promo)),
    subject_order: Number(hasBit(subject, kind.order) && !subject_acts),
    mail_strong: share(reading, kind.strong, 1),
    mail_code: share(reading, kind.code, 1),
    mail_act: Math.max(
      share(reading, kind.verify, 2),
      share(reading, kind.signin, 2),
      share(reading, kind.reset, 2),
    ),
    mail_expire: share(reading, kind.expire, 1),
    mail_share: share(reading, kind.share, 1),
    mail_ignore: share(reading, kind.ignore, 1),
    mail_enter: share(reading, kind.enter, 1),
    mail_money: sums(reading),
    mail_percent: Number(
      [reading.subject, ...reading.body.lines].some(
        (line) => line !== undefined && /[%٪]/.test(line.text) && /\d\s?[%٪]/.test(line.text),
      ),
    ),
    mail_promo: share(reading, kind.promo, 3),
    mail_order: share(reading, kind.order, 5),
    mail_unsubscribe: share(reading, kind.unsubscribe, 1),
    mail_links: Math.min(1, reading.links.length / 20),
    mail_long: Math.min(1, Math.max(0, Math.log10(reading.chars + 1) - 2) / 2),
    sender_auth: Number(SENDER_AUTH.test(local.replace(/[._+]/g, ' '))),
    sender_news: Number(SENDER_NEWS.test(local.replace(/[._+]/g, ' '))),
  };
}
