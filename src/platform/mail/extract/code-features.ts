/** A candidate's features, combined from all its places and from the mail. */
import { at, CODE_FEATURES, type Place } from './code-vector.ts';
import { kind, seen } from './lexicon.ts';
import { markForm, markPlace } from './place-features.ts';
import { hasWordOf, isMeeting, type ReadLine, type ReadMail, share } from './reading.ts';
import { mark, raise, type Vector } from './vector.ts';
import { ACT, markWords } from './word-features.ts';

/** Features of a candidate: the largest value of each over its places. @param ofMail shared by all candidates. */
export function codeFeatures(reading: ReadMail, places: Place[], ofMail: Vector, count: number): Vector {
  const vector = ofMail.slice();
  const [first] = places;
  let several = false;
  for (const place of places) {
    markForm(vector, place);
    markPlace(vector, reading, place);
    markWords(vector, place);
    several ||= place.part !== first!.part;
  }
  mark(
    vector,
    at.in_subject,
    places.some(({ part }) => part.source === 'subject'),
  );
  mark(vector, at.repeated, several);
  mark(vector, at.only_text, reading.body.source === 'html' && !several && first!.part.source === 'text');
  mark(
    vector,
    at.quoted,
    places.every(({ part, index }) => part.lines[index]!.quoted),
  );
  // The passcode of a meeting is called one, and signs nobody in to an account.
  if (ofMail[at.mail_meeting] === 1) vector[at.label_code] = vector[at.label_strong] = 0;
  const letters = Math.max(vector[at.mixed]!, vector[at.letters]!);
  vector[at.label_other]! *= shareKnown(reading);
  vector[at.letter_order] = letters * vector[at.mail_order]!;
  const asked = Math.max(vector[at.label_strong]!, vector[at.enter_near]!);
  vector[at.letter_travel] = letters * vector[at.mail_travel]! * (1 - asked);
  // Amounts beside a one-time password are what it approves, not a bill.
  const strong = Math.max(vector[at.strong_before]!, vector[at.strong_after]!, vector[at.label_strong]!);
  vector[at.mail_money]! *= 1 - strong;
  vector[at.receipt]! *= 1 - strong;
  vector[at.year]! *= 1 - shareCalled(vector);
  vector[at.dummy_example] = vector[at.dummy]! * vector[at.example_before]!;
  const { code } = first!.occurrence;
  if (ISSUE_KEY.test(code)) {
    // "ABCD-1234" is a code where it is called one, or stands alone.
    const called = Math.max(vector[at.own_line]!, vector[at.label_code]!, vector[at.strong_before]!);
    vector[at.issue_key] = EVEN_KEY.test(code) ? 1 - called : 1;
  }
  vector[at.letter_promo] = letters * vector[at.mail_promo]!;
  mark(vector, at.alone, count === 1);
  vector[at.crowded] = Math.min(1, Math.max(0, count - 2) / 10);
  markElsewhere(vector, reading, code);
  return vector;
}

/** "Your code is 2025": how much it is called a code, rather than standing near such a word. */
function shareCalled(vector: Vector): number {
  const isCalled = vector[at.is_near] === 1 || vector[at.colon_before] === 1;
  const words = [at.strong_before, at.code_before, at.strong_after, at.code_after] as const;
  return isCalled ? Math.max(...words.map((index) => vector[index]!)) : 0;
}

/** Where else the mail has the same characters: in a link's path, in the name of a site or of the sender. */
function markElsewhere(vector: Vector, reading: ReadMail, code: string): void {
  const name = code.toLowerCase();
  for (const { link } of reading.links) {
    if (link.url.includes(code)) vector[at.in_url] = 1;
    if (vector[at.in_host] === 0 && readHost(link.url).includes(name)) vector[at.in_host] = 1;
  }
  if (vector[at.in_host] === 1) vector[at.in_url] = 0;
  mark(vector, at.in_sender, reading.from.toLowerCase().includes(name));
}

const readHost = (url: string) => /^https?:\/\/([^/?#]{1,253})/i.exec(url)?.[1]?.toLowerCase() ?? '';

const ISSUE_KEY = /^[A-Z]{2,10}-\d{1,6}$/;
const EVEN_KEY = /^[A-Z]{4}-\d{4}$/;

const SENDER_AUTH =
  /\b(?:security|secure|verif\w*|auth\w*|account|accounts|login|signin|signup|identity|otp|password|id|notify|access)\b/i;
const SENDER_NEWS =
  /\b(?:news|newsletter|offers?|deals?|marketing|promo\w*|orders?|shop|store|billing|invoices?|receipts?|sales|shipping|tracking|rewards?|digest|updates?|hello|team|bookings?|tickets?)\b/i;

const SUM = /[$€£¥₹₽₩₺₫฿₴₪]\s?\d|\d\s?[$€£¥₹₽₩₺₫฿₴₪円元원]/;
const SUM_WORD = /\b(?:USD|EUR|GBP|INR|total|amount)\b/i;
const PERCENT = /\d\s?[%٪]/;

const mayHaveSign = (sees: number) => (sees & seen.digit) !== 0 && (sees & seen.currency) !== 0;
/** The word tables treat a non-ASCII letter as part of the adjacent word, the pattern does not. */
const mayHaveSumWord = (sees: number, kinds: number) =>
  (kinds & kind.sum) !== 0 || (sees & seen.notAscii) !== 0;
const mayHaveAmount = (sees: number, kinds: number) => mayHaveSign(sees) || mayHaveSumWord(sees, kinds);

function isSum({ text, words: { sees, kinds } }: ReadLine): boolean {
  return (mayHaveSign(sees) && SUM.test(text)) || (mayHaveSumWord(sees, kinds) && SUM_WORD.test(text));
}

/** Lines with an amount of money: three make a bill. */
const sums = (reading: ReadMail) =>
  mayHaveAmount(reading.bodySees, reading.bodyKinds)
    ? Math.min(1, reading.body.lines.filter(isSum).length / 3)
    : 0;

const hasPercent = ({ text, words: { sees } }: ReadLine) => (sees & seen.percent) !== 0 && PERCENT.test(text);
const bodyHasPercent = ({ bodySees, body }: ReadMail) =>
  (bodySees & seen.percent) !== 0 && body.lines.some(hasPercent);

/** A mail in a known language with none of these does not mention a code. */
const SPEAKING = kind.code | kind.strong | kind.pass | kind.verify | kind.signin | kind.reset | kind.enter;
const ANYTHING = ~kind.sum;

/** A few words may be a neighbouring language's. */
const KNOWN_WORDS = 3;
/** How well the tables know the mail's language, from 0 to 1. */
function shareKnown({ counts }: ReadMail): number {
  let known = 0;
  for (let number = 0; number < counts.length; number++)
    if (ANYTHING & (1 << number)) known += counts[number]!;
  return Math.min(1, known / KNOWN_WORDS);
}

/** Features shared by all candidates of a mail. */
export function mailFeatures(reading: ReadMail): Vector {
  const vector = new Float64Array(CODE_FEATURES.length);
  const address = /<([^<>]*)>\s*$/.exec(reading.from)?.[1] ?? reading.from;
  const local = (address.slice(0, 200).split('@')[0] ?? '').replace(/[._+]/g, ' ');
  const { subject } = reading;
  const subjectKinds = subject?.words.kinds ?? 0;
  const subjectActs = subjectKinds & (ACT | kind.code | kind.strong);
  if (!hasWordOf(reading, SPEAKING)) vector[at.mail_mute] = shareKnown(reading);
  mark(vector, at.subject_promo, subjectKinds & kind.promo);
  mark(vector, at.subject_order, subjectKinds & kind.order && !subjectActs);
  raise(vector, at.mail_strong, share(reading, kind.strong, 1));
  raise(vector, at.mail_code, share(reading, kind.code, 1));
  for (const bit of [kind.verify, kind.signin, kind.reset])
    raise(vector, at.mail_act, share(reading, bit, 2));
  raise(vector, at.mail_expire, share(reading, kind.expire, 1));
  raise(vector, at.mail_share, share(reading, kind.share, 1));
  raise(vector, at.mail_ignore, share(reading, kind.ignore, 1));
  raise(vector, at.mail_enter, share(reading, kind.enter, 1));
  raise(vector, at.mail_money, sums(reading));
  mark(vector, at.mail_percent, (subject && hasPercent(subject)) || bodyHasPercent(reading));
  raise(vector, at.mail_promo, share(reading, kind.promo, 3));
  raise(vector, at.mail_travel, share(reading, kind.travel, 3));
  raise(vector, at.mail_badcode, share(reading, kind.badcode, 2));
  mark(vector, at.mail_meeting, isMeeting(reading));
  vector[at.receipt] = vector[at.mail_money]! * (1 - vector[at.mail_act]!);
  raise(vector, at.mail_order, share(reading, kind.order, 5));
  raise(vector, at.mail_unsubscribe, share(reading, kind.unsubscribe, 1));
  raise(vector, at.mail_links, Math.min(1, reading.links.length / 20));
  raise(vector, at.mail_long, Math.min(1, Math.max(0, Math.log10(reading.chars + 1) - 2) / 2));
  mark(vector, at.sender_auth, SENDER_AUTH.test(local));
  mark(vector, at.sender_news, SENDER_NEWS.test(local));
  return vector;
}
