/** Our own labelled mails, written by us: those that weights may be fitted on, and those held out to judge. */
import { fit_codes } from './fit-codes.ts';
import { fit_others } from './fit-others.ts';
import { held_codes } from './held-codes.ts';
import { held_links } from './held-links.ts';
import { held_more } from './held-more.ts';
import { held_software } from './held-software.ts';
import { held_traps } from './held-traps.ts';

/** A mail in short form; what is left out is empty, null or English. */
export interface OwnMail {
  name: string;
  language?: string;
  subject?: string;
  from?: string;
  text?: string;
  html?: string;
  otp?: string | null;
  magic_link?: string | null;
}

/** `fit` is fitted on; `held` shaped rules and priors, but no weight; `more` came after those. */
const sets = {
  fit: [...fit_codes, ...fit_others],
  held: [...held_codes, ...held_links, ...held_traps],
  more: held_more,
  software: held_software,
};

const FOLDS = 5;

/** The mails of one set, as the bench and the fit take them. */
export function ownMails(set: keyof typeof sets) {
  const mails = sets[set];
  return mails.map((mail: OwnMail, index) => ({
    ...{ language: 'en', subject: '', from: '', text: '', html: '', otp: null, magic_link: null },
    ...mail,
    // No two of them are of one sender; a few folds are enough to judge each by the others.
    source: `own:${index % FOLDS}`,
    otp_also: [],
    magic_link_also: [],
    uncertain: [],
  }));
}
