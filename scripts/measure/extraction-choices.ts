/** Labelled mails as choices between candidates, to fit weights and to judge them. */
import { CODE_FEATURES } from '../../src/platform/mail/extract/code-vector.ts';
import { codeVectors, linkVectors } from '../../src/platform/mail/extract/extract.ts';
import { LINK_FEATURES } from '../../src/platform/mail/extract/link-features.ts';
import { readMail } from '../../src/platform/mail/extract/reading.ts';
import { isSameCode, isSameLink, type LabelledMail } from './extraction-corpus.ts';
import { type Choice, calibrate, crossValidate, fit, type Prior } from './extraction-fit.ts';
import { priors } from './extraction-priors.ts';

/** Our own mails are mostly traps, which are rarer in real mail, and confidence is about real mail. */
const OWN_SHARE = 0.3;
/** Most mails of one project that count, because they are similar. */
const OF_SOURCE_MAX = 40;

function weigh(choices: MailChoice[]): MailChoice[] {
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

/** The right one is not a candidate: there is nothing to learn, and no model can be right. */
const isLost = (label: string | null, right: number) => label !== null && right < 0;

export function listCodeChoices(mails: LabelledMail[]): MailChoice[] {
  const choices = mails.flatMap((mail) => {
    if (mail.uncertain.includes('otp')) return [];
    const found = codeVectors(readMail(mail));
    const right = mail.otp === null ? -1 : found.findIndex(({ code }) => isSameCode(code, mail));
    if (isLost(mail.otp, right)) return [];
    return [{ source: mail.source, vectors: found.map(({ vector }) => vector), right, weight: 1 }];
  });
  return weigh(choices);
}

export function linkChoices(mails: LabelledMail[]): MailChoice[] {
  const choices = mails.flatMap((mail) => {
    if (mail.uncertain.includes('magic_link')) return [];
    const found = linkVectors(readMail(mail), mail.otp?.replace(/[\s-]/g, '') ?? null);
    const right = mail.magic_link === null ? -1 : found.findIndex(({ link }) => isSameLink(link.url, mail));
    if (isLost(mail.magic_link, right)) return [];
    return [{ source: mail.source, vectors: found.map(({ vector }) => vector), right, weight: 1 }];
  });
  return weigh(choices);
}

/** Weights fitted on all; the calibration comes from weights fitted without each mail's source. */
export function fitModel(choices: MailChoice[], names: readonly string[], prior: Prior, floor: number) {
  const unseen = crossValidate(choices, names, prior);
  const pairs = choices.map(({ right }, index) => {
    const found = unseen[index]!;
    const raw = Math.max(0, ...found);
    const weight = choices[index]!.source.startsWith('own:') ? OWN_SHARE : 1;
    return { raw, right: right >= 0 && found[right] === raw, weight };
  });
  return { ...fit(choices, names, prior), calibration: calibrate(pairs), floor };
}

export function fitModels(mails: LabelledMail[]) {
  return {
    code: fitModel(listCodeChoices(mails), CODE_FEATURES, priors.code, FLOORS.code),
    link: fitModel(linkChoices(mails), LINK_FEATURES, priors.link, FLOORS.link),
  };
}

/** A link is reported when it is more likely right than wrong; a wrong code is worse than none. */
const FLOORS = { code: 0.6, link: 0.5 };
