/** Computes a candidate's features from all its places and from the mail. */
import { at, CODE_FEATURES, type Place } from './code-vector.ts';
import { charKind, kind } from './lexicon.ts';
import { markForm, markPlace } from './place-features.ts';
import { hasWordOf, isMeeting, measureShare, type ReadLine, type ReadMail } from './reading.ts';
import { mark, raise, type Vector } from './vector.ts';
import { ACT, markWords } from './word-features.ts';

/**
 * Computes the features of a candidate. Each has its largest value over all places.
 *
 * @param ofMail the features that all candidates share.
 * @param count how many candidates the mail has.
 */
export function computeCodeFeatures(
  reading: ReadMail,
  places: Place[],
  ofMail: Vector,
  count: number,
): Vector {
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
  // The passcode of a meeting is called that, and signs nobody in to an account.
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
  const called = shareCalled(vector);
  vector[at.year]! *= 1 - called;
  // A shop sends sign-in codes too.
  vector[at.subject_order]! *= 1 - called / 3;
  vector[at.dummy_example] = vector[at.dummy]! * vector[at.example_before]!;
  const { code } = first!.occurrence;
  if (ISSUE_KEY.test(code)) {
    // "ABCD-1234" is a code if it is called one, or is alone on its line.
    const named = Math.max(vector[at.own_line]!, vector[at.label_code]!, vector[at.strong_before]!);
    vector[at.issue_key] = EVEN_KEY.test(code) ? 1 - named : 1;
  }
  vector[at.letter_promo] = letters * vector[at.mail_promo]!;
  mark(vector, at.alone, count === 1);
  vector[at.crowded] = Math.min(1, Math.max(0, count - 2) / 10);
  markElsewhere(vector, reading, code);
  return vector;
}

/** How much a candidate is called a code ("Your code is 2025"), rather than merely being near such a word. */
function shareCalled(vector: Vector): number {
  const isCalled = vector[at.is_near] === 1 || vector[at.colon_before] === 1;
  const words = [at.strong_before, at.code_before, at.strong_after, at.code_after] as const;
  return isCalled ? Math.max(...words.map((index) => vector[index]!)) : 0;
}

/** Marks where else the mail has the same characters: in a link's path, in the name of a site or of the sender. */
function markElsewhere(vector: Vector, reading: ReadMail, code: string): void {
  const name = code.toLowerCase();
  for (const { link } of reading.links) {
    const start = link.url.indexOf(code);
    if (start >= 0) vector[at.in_url] = 1;
    if (start >= 0 && isValue(link.url, start, code)) vector[at.named] = 1;
    if (vector[at.in_host] === 0 && readHost(link.url).includes(name)) vector[at.in_host] = 1;
  }
  if (vector[at.in_host] === 1) vector[at.in_url] = 0;
  mark(vector, at.in_sender, reading.from.toLowerCase().includes(name));
}

/** The name of a parameter for a code, before its value. */
const CODE_NAME =
  /[?&](?:(?:verif\w{0,8}|confirm\w{0,6}|log-?in|sign-?in|auth|reset|security)[_-]?)?(?:code|otp|otc|pin)=$/i;
const NAME_CHARS_MAX = 30;
/** In an address that is for a code. */
const CODE_PATH = /verif|confirm|activ|reset|recover|passw|log-?in|sign-?in|otp|2fa|mfa|init/i;
const PATH_CHARS_MAX = 200;

/** Whether a link has the candidate as the value of a parameter for a code: "/verify?user=7&code=482913". */
const isValue = (url: string, start: number, { length }: string) =>
  /[&#]/.test(url[start + length] ?? '&') &&
  CODE_NAME.test(url.slice(Math.max(0, start - NAME_CHARS_MAX), start)) &&
  CODE_PATH.test(url.slice(0, Math.min(start, PATH_CHARS_MAX)).split('?', 1)[0]!);

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

const mayHaveSign = (charKinds: number) =>
  (charKinds & charKind.digit) !== 0 && (charKinds & charKind.currency) !== 0;
/** The tables treat a non-ASCII letter as part of the adjacent word; the pattern does not. */
const mayHaveSumWord = (charKinds: number, kinds: number) =>
  (kinds & kind.sum) !== 0 || (charKinds & charKind.notAscii) !== 0;
const mayHaveAmount = (charKinds: number, kinds: number) =>
  mayHaveSign(charKinds) || mayHaveSumWord(charKinds, kinds);

function isSum({ text, words: { charKinds, kinds } }: ReadLine): boolean {
  return (
    (mayHaveSign(charKinds) && SUM.test(text)) || (mayHaveSumWord(charKinds, kinds) && SUM_WORD.test(text))
  );
}

/** How many lines have an amount of money, from 0 to 1. Three make a bill. */
const measureSums = (reading: ReadMail) =>
  mayHaveAmount(reading.bodyCharKinds, reading.bodyKinds)
    ? Math.min(1, reading.body.lines.filter(isSum).length / 3)
    : 0;

const hasPercent = ({ text, words: { charKinds } }: ReadLine) =>
  (charKinds & charKind.percent) !== 0 && PERCENT.test(text);
const bodyHasPercent = ({ bodyCharKinds, body }: ReadMail) =>
  (bodyCharKinds & charKind.percent) !== 0 && body.lines.some(hasPercent);

/** A mail in a known language that has none of these does not mention a code. */
const SPEAKING = kind.code | kind.strong | kind.pass | kind.verify | kind.signin | kind.reset | kind.enter;
const ANYTHING = ~kind.sum;

/** Words that show that the tables know the language: fewer may be a neighbouring language's. */
const KNOWN_WORDS = 3;

/** How well the tables know the mail's language, from 0 to 1. */
export function shareKnown({ counts }: ReadMail): number {
  let known = 0;
  for (let number = 0; number < counts.length; number++)
    if (ANYTHING & (1 << number)) known += counts[number]!;
  return Math.min(1, known / KNOWN_WORDS);
}

/** Computes the features that all candidates of a mail share. */
export function computeMailFeatures(reading: ReadMail): Vector {
  const vector = new Float64Array(CODE_FEATURES.length);
  const address = /<([^<>]*)>\s*$/.exec(reading.from)?.[1] ?? reading.from;
  const local = (address.slice(0, 200).split('@')[0] ?? '').replace(/[._+]/g, ' ');
  const { subject } = reading;
  const subjectKinds = subject?.words.kinds ?? 0;
  const subjectActs = subjectKinds & (ACT | kind.code | kind.strong);
  if (!hasWordOf(reading, SPEAKING)) vector[at.mail_mute] = shareKnown(reading);
  mark(vector, at.subject_promo, subjectKinds & kind.promo);
  mark(vector, at.subject_order, subjectKinds & kind.order && !subjectActs);
  raise(vector, at.mail_strong, measureShare(reading, kind.strong, 1));
  raise(vector, at.mail_code, measureShare(reading, kind.code, 1));
  for (const bit of [kind.verify, kind.signin, kind.reset])
    raise(vector, at.mail_act, measureShare(reading, bit, 2));
  raise(vector, at.mail_expire, measureShare(reading, kind.expire, 1));
  raise(vector, at.mail_share, measureShare(reading, kind.share, 1));
  raise(vector, at.mail_ignore, measureShare(reading, kind.ignore, 1));
  raise(vector, at.mail_enter, measureShare(reading, kind.enter, 1));
  raise(vector, at.mail_money, measureSums(reading));
  mark(vector, at.mail_percent, (subject && hasPercent(subject)) || bodyHasPercent(reading));
  raise(vector, at.mail_promo, measureShare(reading, kind.promo, 3));
  raise(vector, at.mail_travel, measureShare(reading, kind.travel, 3));
  raise(vector, at.mail_badcode, measureShare(reading, kind.badcode, 2));
  mark(vector, at.mail_meeting, isMeeting(reading));
  vector[at.receipt] = vector[at.mail_money]! * (1 - vector[at.mail_act]!);
  raise(vector, at.mail_order, measureShare(reading, kind.order, 5));
  raise(vector, at.mail_unsubscribe, measureShare(reading, kind.unsubscribe, 1));
  raise(vector, at.mail_links, Math.min(1, reading.links.length / 20));
  raise(vector, at.mail_long, Math.min(1, Math.max(0, Math.log10(reading.chars + 1) - 2) / 2));
  mark(vector, at.sender_auth, SENDER_AUTH.test(local));
  mark(vector, at.sender_news, SENDER_NEWS.test(local));
  return vector;
}
