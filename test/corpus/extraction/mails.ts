/** Our own labelled mails, written by us: those that weights may be fitted on, and those held out to judge. */
import { fitCodes } from './fit-codes.ts';
import { fitOthers } from './fit-others.ts';
import { heldCodes } from './held-codes.ts';
import { heldLinks } from './held-links.ts';
import { heldMore } from './held-more.ts';
import { heldSoftware } from './held-software.ts';
import { heldTraps } from './held-traps.ts';
import type { OwnMail } from './own-mail.ts';

/** `fit` is fitted on; `held` shaped rules and priors, but no weight; `more` came after those. */
const sets = {
  fit: [...fitCodes, ...fitOthers],
  held: [...heldCodes, ...heldLinks, ...heldTraps],
  more: heldMore,
  software: heldSoftware,
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
