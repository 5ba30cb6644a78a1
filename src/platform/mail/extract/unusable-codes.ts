/*
 * Recognises codes that nobody should type: the mail says that they have expired, they are those of an answered mail,
 * or they are a bank's approval of a payment, on a card receipt. The words around them are those of a one-time code, so
 * no weight can tell them apart. Numbers that nothing in the mail asks for are no codes either.
 */
import { LINKS_MAX } from '../bounds.ts';
import { lookAt } from '../html/page.ts';
import { shareKnown } from './code-features.ts';
import type { Place } from './code-vector.ts';
import { kind } from './lexicon.ts';
import { hasSecret } from './link-secret.ts';
import { isIntroduced } from './place-features.ts';
import { hasWordOf, type ReadMail } from './reading.ts';
import { isSaid } from './word-features.ts';

/** Whether a code is of no use, by all its places. The weights were fitted to mails that have such codes too. */
export function isUnusable(reading: ReadMail, places: readonly Place[]): boolean {
  return (
    isAnswered(reading, places) ||
    isStray(reading, places) ||
    places.some(isExpired) ||
    (places.some(isApproval) && isCardReceipt(reading))
  );
}

/** Whether it is a code of the mail that this one answers: it is in the quoted mail, and otherwise only in the subject. */
const isAnswered = ({ isReply }: ReadMail, places: readonly Place[]) =>
  isReply &&
  places.some(isQuotedPlace) &&
  places.every((place) => isQuotedPlace(place) || place.part.source === 'subject');

const isQuotedPlace = ({ part, index }: Place) => part.lines[index]!.quoted;

/** Words of a mail that has a code for its reader. */
const OFFERS = kind.code | kind.strong | kind.enter;

/**
 * Whether it is a plain number in a mail that never speaks of a code. Either the mail is about its link, or the number
 * is alone at its end.
 */
function isStray(reading: ReadMail, places: readonly Place[]): boolean {
  if (hasWordOf(reading, OFFERS) || !places.every((place) => isPlainNumber(reading, place))) return false;
  if (shareKnown(reading) < 1) return false;
  if (places.every(isLastLine)) return true;
  const { code } = places[0]!.occurrence;
  const links = reading.links.slice(0, LINKS_MAX);
  return (
    links.some(mayHaveSecret) &&
    !links.some(({ link }) => link.url.includes(code)) &&
    !places.some((place) => isOffered(place, links))
  );
}

function isPlainNumber({ usualSize }: ReadMail, place: Place): boolean {
  const { occurrence, part, index } = place;
  const look = lookAt(part.lines[index]!, occurrence.start);
  const isPlain = look.size <= usualSize && !look.bold && !look.spaced && !look.mono && !look.named;
  return (
    occurrence.form === 'digits' && !occurrence.marked && isPlain && !isIntroduced(place) && !isSaid(place)
  );
}

const isAlone = ({ occurrence: { start, end }, part: { lines }, index }: Place) =>
  lines[index]!.text.trim().length === end - start;

/** Whether it is alone in its line, and only small print follows. */
const isLastLine = (place: Place) =>
  isAlone(place) && place.part.lines.slice(place.index + 1).every(({ words }) => words.kinds & kind.footer);

/** Whether it is alone in its line, and a time limit or a link with a secret follows: the link may do instead. */
function isOffered(place: Place, links: ReadMail['links']): boolean {
  const { part, index } = place;
  const isBelow = ({ link, part: other }: ReadMail['links'][number]) =>
    other === part && link.line > index && !(part.lines[link.line]!.words.kinds & kind.footer);
  const isLimited = ((part.lines[index + 1]?.words.kinds ?? 0) & kind.expire) !== 0;
  return isAlone(place) && (isLimited || links.some((found) => isBelow(found) && mayHaveSecret(found)));
}

function mayHaveSecret({ link }: ReadMail['links'][number]): boolean {
  const url = URL.parse(link.url);
  return url !== null && hasSecret(url);
}

/** What follows an expired code, directly, so that "… if it has expired" does not match. */
const EXPIRED =
  /^["”')\]*]{0,3}\s(?:(?:has|is)\s(?:now\s|already\s)?(?:expired|no longer valid|not valid any ?more)(?!\s(?:in|after|within|at|on)\b)|(?:just\s)?expired\b(?!\s(?:in|after|within|at|on)\b)|(?:ist|sind)\s(?:leider\s|bereits\s|inzwischen\s)?(?:abgelaufen|nicht mehr gültig)|(?:a|est)\s(?:déjà\s)?(?:expiré|périmé)|n['’]est plus valide|(?:ha|está)\s(?:ya\s)?(?:caducado|expirado|caducada)|ya no es válido|è\s(?:già\s)?scaduto|non è più valido|expirou|não é mais válido|já não é válido|is\s(?:inmiddels\s)?verlopen|is niet meer geldig|wygasł|stracił ważność|ист[её]к|больше не действ|просрочен|har (?:gått ut|utgått|udløbet|utløpt)|er (?:udløbet|utløpt))/i;
const LOOK_CHARS = 60;

/** Whether the mail says at this place that the code has expired. */
function isExpired({ occurrence, part, index }: Place): boolean {
  const { text } = part.lines[index]!;
  return EXPIRED.test(text.slice(occurrence.end, occurrence.end + LOOK_CHARS));
}

/** "Authorization code" before a code, as terminals print it beside the card's last digits. */
const APPROVAL = /(?:\bauth(?:ori[sz]ation)?|\bapproval)\.?\s(?:code|no\.?|number|#)\s?[:#]?\s*$/i;
const CARD =
  /\b(?:visa|master ?card|amex|american express|maestro|discover|debit|credit|card)\b.{0,30}(?:[*•·xX.]{2,}\s?|ending in\s|ending\s)\d{4}(?!\d)|\b(?:merchant|terminal) id\b/i;
const RECEIPT =
  /\b(?:receipt|total|subtotal|amount paid|paid|purchase|payment (?:was )?successful|transaction approved)\b/i;
/** Words of a mail that asks its reader to type a code. */
const ASKS = kind.enter | kind.share | kind.expire | kind.ignore;

/** Whether the mail is a card receipt. */
function isCardReceipt(reading: ReadMail): boolean {
  const { lines } = reading.body;
  return (
    !hasWordOf(reading, ASKS) &&
    lines.some(({ text }) => CARD.test(text)) &&
    [...lines, ...(reading.subject ? [reading.subject] : [])].some(({ text }) => RECEIPT.test(text))
  );
}

/** Whether the code at this place is called the approval of a payment, in its line or the one above. */
function isApproval({ occurrence, part, index }: Place): boolean {
  const before = part.lines[index]!.text.slice(0, occurrence.start);
  const label = before.trim() === '' ? (part.lines[index - 1]?.text ?? '') : before;
  return APPROVAL.test(label.slice(-LOOK_CHARS));
}
