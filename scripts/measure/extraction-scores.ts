/** Compares what was extracted with what the mails contain. */
import type { Extracted } from '../../src/platform/mail/extract/extract.ts';
import { isSameCode, isSameLink, type LabelledMail } from './extraction-corpus.ts';

export interface Answer {
  mail: LabelledMail;
  found: Pick<Extracted, 'otp' | 'otp_confidence' | 'magic_link' | 'otp_candidates'>;
}

export interface Scores {
  mails: number;
  otp: number;
  link: number;
  /** Share of the mails without a code that got one. */
  falseCodes: number;
  recall3: number;
  /** Expected calibration error, over ten bins of confidence. */
  ece: number;
  /** The language, among those with enough mails, with the lowest share of mails right in both. */
  worst: { language: string; right: number; mails: number };
}

const LANGUAGE_MAILS_MIN = 3;

const isScored = (mail: LabelledMail, field: string) => !mail.uncertain.includes(field);

/** Figures in percent, except for the calibration error. */
export function score(answers: Answer[]): Scores {
  const codes = answers.filter(({ mail }) => isScored(mail, 'otp'));
  const links = answers.filter(({ mail }) => isScored(mail, 'magic_link'));
  const without = codes.filter(({ mail }) => mail.otp === null);
  const having = codes.filter(({ mail }) => mail.otp !== null);
  return {
    mails: answers.length,
    otp: share(codes, ({ mail, found }) => isSameCode(found.otp, mail)),
    link: share(links, ({ mail, found }) => isSameLink(found.magic_link, mail)),
    falseCodes: share(without, ({ found }) => found.otp !== null),
    recall3: share(having, ({ mail, found }) =>
      found.otp_candidates.slice(0, 3).some(({ code }) => isSameCode(code, mail)),
    ),
    ece: computeCalibrationError(codes),
    worst: findWorstLanguage(answers),
  };
}

function share(answers: Answer[], is: (answer: Answer) => boolean): number {
  return answers.length === 0 ? Number.NaN : (100 * answers.filter(is).length) / answers.length;
}

/** Mean distance between confidence and correctness, over the best candidate of every mail that has one. */
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

function findWorstLanguage(answers: Answer[]): Scores['worst'] {
  let worst = { language: '-', right: 100, mails: 0 };
  for (const language of new Set(answers.map(({ mail }) => mail.language))) {
    const ofLanguage = answers.filter(({ mail }) => mail.language === language);
    if (ofLanguage.length < LANGUAGE_MAILS_MIN) continue;
    const right = share(ofLanguage, isRight);
    if (right < worst.right) worst = { language, right, mails: ofLanguage.length };
  }
  return worst;
}

function isRight({ mail, found }: Answer): boolean {
  return (
    (!isScored(mail, 'otp') || isSameCode(found.otp, mail)) &&
    (!isScored(mail, 'magic_link') || isSameLink(found.magic_link, mail))
  );
}
