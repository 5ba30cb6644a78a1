/** What is done to an email before it is handed over: our own policy, once more, and the signature. */

import { signMail } from '../../../platform/mail/sign.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { accountByNo } from '../../accounts/sql.ts';
import { signerFor } from '../../domains/sending.ts';
import { isSuppressed, mimeOf } from '../sql.ts';
import { sameResult } from './outcome.ts';
import type { Claimed, ClaimedRecipient } from './sql.ts';
import type { RecipientResult } from './writes.ts';

export interface Prepared {
  email: Claimed;
  /** Those that get it. With none there is no mail. */
  recipients: ClaimedRecipient[];
  mail: Uint8Array;
  /** Those that our own policy refused meanwhile. */
  refused: RecipientResult[];
}

/** Judges and signs. Rejects for a fault of ours. */
export async function prepare(services: PlatformServices, email: Claimed): Promise<Prepared> {
  const { store, clock, plans } = services;
  const nothing = (response: string): Prepared => ({
    email,
    recipients: [],
    mail: new Uint8Array(),
    refused: sameResult(email.recipients, { status: 'rejected', response, suppress: null }),
  });
  const account = accountByNo(store, email.account_no);
  if (account?.status !== 'active') return nothing('the account is not active any more');
  // As at the POST: a demo or agent account never sends, whatever its plan.
  if (!account.outbound || account.kind !== 'standard' || plans[account.plan].outbound === 0)
    return nothing('the account may not send any more');
  const signer = signerFor(services, email.account_no, `sender@${email.from_domain}`);
  if (!signer) return nothing(`the domain ${email.from_domain} is not verified for sending any more`);
  const nowUs = clock.nowUs();
  const isRefused = ({ email: address }: ClaimedRecipient) =>
    isSuppressed(store, email.account_no, address.toLowerCase(), nowUs);
  const refused = sameResult(email.recipients.filter(isRefused), {
    status: 'rejected',
    response: 'the address is on the suppression list',
    suppress: null,
  });
  const recipients = email.recipients.filter((recipient) => !isRefused(recipient));
  const bytes = mimeOf(store, email.no);
  if (!bytes) throw new Error(`the bytes of ${email.id} are gone`);
  const mail = recipients.length > 0 ? await signMail(bytes, signer) : bytes;
  return { email, recipients, mail, refused };
}
