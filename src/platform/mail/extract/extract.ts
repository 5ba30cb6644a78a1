/**
 * Finds a mail's one-time code and magic link: the entry point of this folder. Pure and bounded; it fetches nothing.
 *
 * 1. reading.ts turns subject, HTML (html/visible-text.ts) and text (plain-text.ts) into lines with looks and links,
 *    and finds in each line the words of the tables (lexicon.ts, words-*.ts).
 * 2. candidates.ts lists every string that has the form of a code; mask.ts excludes amounts, dates, addresses and the
 *    like. Links are all candidates (link-features.ts), by the address that they lead to (unwrap.ts).
 * 3. Each candidate becomes a vector of features between 0 and 1: its form, its place and look, the words near it,
 *    the mail as a whole (code-features.ts, place-features.ts, word-features.ts, link-features.ts). Links for a reader
 *    who did not ask are found in not-me.ts and undo.ts.
 * 4. score.ts weighs the vectors (weights.ts) and lets the candidates of a mail compete with each other, and with
 *    there being none. Calibrated, the result is the confidence that the API reports; below a floor, nothing is
 *    reported.
 * 5. unusable-codes.ts drops codes that are of no use, context.ts quotes the text around a code, reasons.ts says why
 *    it was chosen.
 *
 * docs/extraction.md has the figures. `scripts/fit-extraction` fits the weights to labelled mails.
 */

import { CANDIDATES_MAX } from '../bounds.ts';
import { lookAt } from '../html/page.ts';
import { findOccurrences } from './candidates.ts';
import { computeCodeFeatures, computeMailFeatures } from './code-features.ts';
import { CODE_FEATURES, type Place } from './code-vector.ts';
import { readContext } from './context.ts';
import { charKind } from './lexicon.ts';
import {
  computeLinkFeatures,
  computeLinkMailFeatures,
  LINK_FEATURES,
  type LinkCandidate,
  listLinkCandidates,
} from './link-features.ts';
import { listLinks } from './links.ts';
import { type MailParts, type ReadMail, readMail } from './reading.ts';
import { explainCode, explainLink } from './reasons.ts';
import { calibrate, computeChances, type Model, type Models } from './score.ts';
import { isUnusable } from './unusable-codes.ts';
import { isWrapper } from './unwrap.ts';
import type { Vector } from './vector.ts';
import { weights } from './weights.ts';

export interface OtpCandidate {
  code: string;
  confidence: number;
  context: string;
}

/** What is extracted from a mail. The fields are the API's (docs/decisions.md, Objects). */
export interface Extracted {
  otp: string | null;
  otp_confidence: number;
  otp_context: string | null;
  otp_candidates: OtpCandidate[];
  /** Up to three words of src/rules/extraction-reasons.ts, separated by commas; null if there is no code. */
  otp_reason: string | null;
  magic_link: string | null;
  magic_link_reason: string | null;
  links: string[];
  /** Whether a bound cut the list of links. */
  linksCut: boolean;
}

/** Places that are weighed. A mail with more is a table. */
const PLACES_MAX = 300;
/** Candidates that are weighed. */
const CODES_MAX = 60;

/** Extracts the code and the link. Never throws, whatever the mail contains. */
export function extract(mail: MailParts): Extracted {
  return extractWith(mail, weights);
}

/** Extracts with other weights, to compare them with the shipped ones. */
export function extractWith(mail: MailParts, models: Models): Extracted {
  const reading = readMail(mail);
  const codes = weighCodes(reading, models.code);
  const [first] = codes;
  const otp = first && first.reported.confidence >= models.code.floor ? first : undefined;
  // A link that contains the code is more likely, even if the code alone is too uncertain to be reported.
  const link = chooseLink(reading, first?.reported.code ?? null, models.link);
  const { links, cut } = listLinks(reading);
  return {
    otp: otp?.reported.code ?? null,
    otp_confidence: otp?.reported.confidence ?? 0,
    otp_context: otp?.reported.context ?? null,
    otp_candidates: codes.map(({ reported }) => reported),
    otp_reason: otp ? explainCode(otp.vector, models.code) : null,
    magic_link: link?.url ?? null,
    magic_link_reason: link ? explainLink(link.vector, models.link) : null,
    links,
    linksCut: cut,
  };
}

function weighCodes(reading: ReadMail, model: Model): { reported: OtpCandidate; vector: Vector }[] {
  const codes = computeCodeVectors(reading).filter(({ places }) => !isUnusable(reading, places));
  const vectors = codes.map(({ vector }) => vector);
  const chances = computeChances(vectors, model, CODE_FEATURES);
  return codes
    .map(({ places, vector }, index) => ({ place: places[0]!, vector, chance: chances[index]! }))
    .sort((one, other) => other.chance - one.chance)
    .slice(0, CANDIDATES_MAX)
    .map(({ place: { occurrence, part, index }, vector, chance }) => ({
      reported: {
        code: occurrence.code,
        confidence: calibrate(chance, model.calibration),
        context: readContext(part, index, occurrence.start, occurrence.end),
      },
      vector,
    }));
}

/** Lists all candidates of a mail with their features. Also used to fit the weights. */
export function computeCodeVectors(reading: ReadMail): { code: string; places: Place[]; vector: Vector }[] {
  const byCode = groupPlaces(reading);
  if (byCode.size === 0) return [];
  const ofMail = computeMailFeatures(reading);
  return Array.from(byCode.values(), (places) => ({
    code: places[0]!.occurrence.code,
    places,
    vector: computeCodeFeatures(reading, places, ofMail, byCode.size),
  }));
}

/** Groups places by code, which may be written in several ways: `123-456` in the subject, `123456` below. */
function groupPlaces(reading: ReadMail): Map<string, Place[]> {
  const found = new Map<string, Place[]>();
  let places = 0;
  // The body comes first, so that the reported context is from the part that a person reads.
  for (const part of [reading.body, ...reading.parts.filter((part) => part !== reading.body)]) {
    for (let index = 0; index < part.lines.length; index++) {
      if (places >= PLACES_MAX) return found;
      const line = part.lines[index]!;
      const { text, words } = line;
      if ((words.charKinds & (charKind.digit | charKind.capital)) === 0) continue;
      for (const occurrence of findOccurrences(text)) {
        places++;
        if (lookAt(line, occurrence.start).struck) continue;
        add(found, { occurrence, part, index });
      }
    }
  }
  return found;
}

function add(found: Map<string, Place[]>, place: Place): void {
  const key = place.occurrence.code.replaceAll('-', '').toUpperCase();
  const known = found.get(key);
  if (known) known.push(place);
  else if (found.size < CODES_MAX) found.set(key, [place]);
}

/** Lists all candidate links with their features. Also used to fit the weights. */
export function computeLinkVectors(
  reading: ReadMail,
  code: string | null,
): { link: LinkCandidate; vector: Vector }[] {
  const links = listLinkCandidates(reading);
  const ofMail = computeLinkMailFeatures(reading, links);
  return links.map((link, index) => ({
    link,
    vector: computeLinkFeatures(reading, link, index, ofMail, code),
  }));
}

/**
 * Whether one of two links is a click counter's, and the other an address with a secret that is written out: most
 * likely they lead to the same page, and both are right.
 */
function areTwins(one: LinkCandidate, other: LinkCandidate): boolean {
  const [counter, written] = isWrapper(one.parsed.hostname) ? [one, other] : [other, one];
  return (
    isWrapper(counter.parsed.hostname) &&
    !isWrapper(written.parsed.hostname) &&
    written.secret.token + written.secret.query > 0 &&
    written.places.some(({ link, part }) => link.text === '' || part.source === 'text')
  );
}

function chooseLink(
  reading: ReadMail,
  code: string | null,
  model: Model,
): { url: string; vector: Vector } | null {
  const links = computeLinkVectors(reading, code);
  const vectors = links.map(({ vector }) => vector);
  const chances = computeChances(vectors, model, LINK_FEATURES);
  let best = -1;
  for (const [index, chance] of chances.entries()) if (chance > (chances[best] ?? 0)) best = index;
  const twins = chances.filter(
    (_, index) => index !== best && areTwins(links[best]!.link, links[index]!.link),
  );
  const chance = Math.min(1, (chances[best] ?? 0) + Math.max(0, ...twins));
  const confidence = calibrate(chance, model.calibration);
  return best >= 0 && confidence >= model.floor
    ? { url: links[best]!.link.url, vector: vectors[best]! }
    : null;
}
