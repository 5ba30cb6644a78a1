/** Labelled mails as choices between candidates, to fit weights and to judge them. */
import { CODE_FEATURES } from '../../src/platform/mail/extract/code-vector.ts';
import { computeCodeVectors, computeLinkVectors } from '../../src/platform/mail/extract/extract.ts';
import { LINK_FEATURES } from '../../src/platform/mail/extract/link-features.ts';
import { readMail } from '../../src/platform/mail/extract/reading.ts';
import type { Model, Models } from '../../src/platform/mail/extract/score.ts';
import { isSameCode, isSameLink, type LabelledMail } from './extraction-corpus.ts';
import { type Choice, calibrate, crossValidate, fit, type Prior } from './extraction-fit.ts';
import { priors } from './extraction-priors.ts';

/** The weight of our own mails, which are mostly traps: these are rarer in real mail, which confidence is about. */
const OWN_SHARE = 0.3;
/** Most mails of one project that count, because a project's mails are similar. */
const OF_SOURCE_MAX = 40;

function setWeights(choices: MailChoice[]): MailChoice[] {
  const counts = new Map<string, number>();
  for (const { source } of choices) counts.set(source, (counts.get(source) ?? 0) + 1);
  return choices.map((choice) => ({
    ...choice,
    weight: Math.min(1, OF_SOURCE_MAX / counts.get(choice.source)!),
  }));
}

export interface MailChoice extends Choice {
  source: string;
}

/** Whether the right one is not a candidate, so that there is nothing to learn and no model can be right. */
const isLost = (label: string | null, right: number) => label !== null && right < 0;

export function listCodeChoices(mails: LabelledMail[]): MailChoice[] {
  const choices = mails.flatMap((mail) => {
    if (mail.uncertain.includes('otp')) return [];
    const found = computeCodeVectors(readMail(mail));
    const right = mail.otp === null ? -1 : found.findIndex(({ code }) => isSameCode(code, mail));
    if (isLost(mail.otp, right)) return [];
    return [{ source: mail.source, vectors: found.map(({ vector }) => vector), right, weight: 1 }];
  });
  return setWeights(choices);
}

export function linkChoices(mails: LabelledMail[]): MailChoice[] {
  const choices = mails.flatMap((mail) => {
    if (mail.uncertain.includes('magic_link')) return [];
    const found = computeLinkVectors(readMail(mail), mail.otp?.replace(/[\s-]/g, '') ?? null);
    const right = mail.magic_link === null ? -1 : found.findIndex(({ link }) => isSameLink(link.url, mail));
    if (isLost(mail.magic_link, right)) return [];
    return [{ source: mail.source, vectors: found.map(({ vector }) => vector), right, weight: 1 }];
  });
  return setWeights(choices);
}

/** The probability of the best candidate, from a model fitted without its source, and whether it was right. */
interface Pair {
  source: string;
  raw: number;
  right: boolean;
  weight: number;
}

/** Fits weights on all mails, and for each source on all others. The calibration is from unseen mails. */
function fitModel(choices: MailChoice[], names: readonly string[], prior: Prior, floor: number) {
  const { found, models } = crossValidate(choices, names, prior);
  const pairs = choices.map(({ right, source }, index): Pair => {
    const chances = found[index]!;
    const raw = Math.max(0, ...chances);
    const weight = source.startsWith('own:') ? OWN_SHARE : 1;
    return { source, raw, right: right >= 0 && chances[right] === raw, weight };
  });
  const without = new Map(
    Array.from(models, ([source, model]): [string, Model] => {
      const others = pairs.filter((pair) => pair.source !== source);
      return [source, { ...model, calibration: calibrate(others), floor }];
    }),
  );
  return { all: { ...fit(choices, names, prior), calibration: calibrate(pairs), floor }, without };
}

interface Fitted {
  /** Fitted on all mails. */
  all: Models;
  /** Fitted and calibrated without the mails of a source. */
  without(source: string): Models;
}

export function fitModels(mails: LabelledMail[]): Fitted {
  const code = fitModel(listCodeChoices(mails), CODE_FEATURES, priors.code, FLOORS.code);
  const link = fitModel(linkChoices(mails), LINK_FEATURES, priors.link, FLOORS.link);
  return {
    all: { code: code.all, link: link.all },
    // If a fit leaves out all mails of a source, it has not seen that source either.
    without: (source) => ({
      code: code.without.get(source) ?? code.all,
      link: link.without.get(source) ?? link.all,
    }),
  };
}

/** Chosen from the curve of right and false codes (scripts/bench extraction): a wrong code is worse than none. */
const FLOORS = { code: 0.6, link: 0.5 };
