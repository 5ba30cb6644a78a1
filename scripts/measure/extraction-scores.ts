/** Compares what was extracted with what the mails contain. */
import type { Extracted } from '../../src/platform/mail/extract/extract.ts';
import { isSameCode, isSameLink, type LabelledMail } from './extraction-corpus.ts';

export interface Answer {
  mail: LabelledMail;
  found: Pick<Extracted, 'otp' | 'otp_confidence' | 'magic_link' | 'otp_candidates'>;
}

/** A count, and the number that it is out of. */
export interface Part {
  right: number;
  of: number;
}

export interface Scores {
  mails: number;
  otp: Part;
  link: Part;
  /** Mails without a code for which one was reported. */
  falseCodes: Part;
  /** Mails with a code that have it among the first three candidates. */
  recall3: Part;
  /** Expected calibration error, over ten bins of confidence. */
  ece: number;
  /** Exact codes by language, lowest share first, for languages with enough mails that have one. */
  languages: (Part & { language: string })[];
}

const LANGUAGE_MAILS_MIN = 8;

const isScored = (mail: LabelledMail, field: string) => !mail.uncertain.includes(field);

export function score(answers: Answer[]): Scores {
  const codes = answers.filter(({ mail }) => isScored(mail, 'otp'));
  const links = answers.filter(({ mail }) => isScored(mail, 'magic_link'));
  const without = codes.filter(({ mail }) => mail.otp === null);
  const having = codes.filter(({ mail }) => mail.otp !== null);
  return {
    mails: answers.length,
    otp: count(codes, ({ mail, found }) => isSameCode(found.otp, mail)),
    link: count(links, ({ mail, found }) => isSameLink(found.magic_link, mail)),
    falseCodes: count(without, ({ found }) => found.otp !== null),
    recall3: count(having, ({ mail, found }) =>
      found.otp_candidates.slice(0, 3).some(({ code }) => isSameCode(code, mail)),
    ),
    ece: computeCalibrationError(codes),
    languages: countByLanguage(having),
  };
}

function count(answers: Answer[], is: (answer: Answer) => boolean): Part {
  return { right: answers.filter(is).length, of: answers.length };
}

export const percent = ({ right, of }: Part) => (of === 0 ? Number.NaN : (100 * right) / of);

/** Returns the 95 % confidence interval of a share, in percent (Wilson score). */
export function computeInterval({ right, of }: Part): [low: number, high: number] {
  if (of === 0) return [Number.NaN, Number.NaN];
  const z = 1.96;
  const share = right / of;
  const middle = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return [100 * Math.max(0, middle - half), 100 * Math.min(1, middle + half)];
}

/** Returns the mean distance between confidence and correctness of the best candidates. */
function computeCalibrationError(answers: Answer[]): number {
  const bins = Array.from({ length: 10 }, () => ({ count: 0, confidence: 0, right: 0 }));
  let count = 0;
  for (const { mail, found } of answers) {
    const best = found.otp_candidates[0];
    if (!best) continue;
    const bin = bins[Math.min(9, Math.floor(best.confidence * 10))]!;
    count++;
    bin.count++;
    bin.confidence += best.confidence;
    if (isSameCode(best.code, mail)) bin.right++;
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / Math.max(1, count);
}

function countByLanguage(having: Answer[]): Scores['languages'] {
  return [...new Set(having.map(({ mail }) => mail.language))]
    .map((language) => {
      const ofLanguage = having.filter(({ mail }) => mail.language === language);
      return { language, ...count(ofLanguage, ({ mail, found }) => isSameCode(found.otp, mail)) };
    })
    .filter(({ of }) => of >= LANGUAGE_MAILS_MIN)
    .sort((one, other) => percent(one) - percent(other) || other.of - one.of);
}

/** Counts the exact, false and missed codes with another floor. */
export function scoreAt(answers: Answer[], floor: number): { exact: Part; falseCodes: Part } {
  const { otp, falseCodes } = score(
    answers.map(({ mail, found }) => {
      const [first] = found.otp_candidates;
      return { mail, found: { ...found, otp: first && first.confidence >= floor ? first.code : null } };
    }),
  );
  return { exact: otp, falseCodes };
}
