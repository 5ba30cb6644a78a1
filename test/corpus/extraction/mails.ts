/** Our own labelled mails: some for fitting the weights, the others held out for evaluation. */
import { fitCodes } from './fit-codes.ts';
import { fitKinds } from './fit-kinds.ts';
import { fitOthers } from './fit-others.ts';
import { heldCodes } from './held-codes.ts';
import { heldLinks } from './held-links.ts';
import { heldMore } from './held-more.ts';
import { heldSoftware } from './held-software.ts';
import { heldTraps } from './held-traps.ts';
import { judgeBaltic } from './judge-baltic.ts';
import { judgeCodes } from './judge-codes.ts';
import { judgeEastAsia } from './judge-east-asia.ts';
import { judgeEnglish } from './judge-english.ts';
import { judgeGermanic } from './judge-germanic.ts';
import { judgeLinks } from './judge-links.ts';
import { judgeNegatives } from './judge-negatives.ts';
import { judgeRomance } from './judge-romance.ts';
import { judgeRtlIndic } from './judge-rtl-indic.ts';
import { judgeSlavic } from './judge-slavic.ts';
import { judgeSouth } from './judge-south.ts';
import { judgeTurkic } from './judge-turkic.ts';
import type { OwnMail } from './own-mail.ts';

/**
 * `fit` is for fitting. `held` has influenced rules and priors, but no weight. `more` was added later. `judge` was written
 * without knowledge of the extraction's code.
 */
const sets = {
  fit: [...fitCodes, ...fitOthers, ...fitKinds],
  held: [...heldCodes, ...heldLinks, ...heldTraps],
  more: heldMore,
  software: heldSoftware,
  judge: [
    ...judgeEnglish,
    ...judgeGermanic,
    ...judgeRomance,
    ...judgeSlavic,
    ...judgeBaltic,
    ...judgeTurkic,
    ...judgeRtlIndic,
    ...judgeEastAsia,
    ...judgeSouth,
    ...judgeCodes,
    ...judgeLinks,
    ...judgeNegatives,
  ],
};

const FOLDS = 5;

/** Returns the mails of one set, in the form that the bench and the fit use. */
export function ownMails(set: keyof typeof sets) {
  const mails = sets[set];
  return mails.map((mail: OwnMail, index) => ({
    ...{ language: 'en', subject: '', from: '', text: '', html: '', otp: null, magic_link: null },
    ...mail,
    // Every mail has another sender. A few folds are enough to judge each with weights from the others.
    source: set === 'judge' ? `own:judge-${index % FOLDS}` : `own:${index % FOLDS}`,
    otp_also: mail.otp_also ?? [],
    magic_link_also: [],
    uncertain: [],
  }));
}
