/** Prepares an email for the handover: checks our own policy again and signs it. */

import { type MailPieces, toMailPieces } from '../../../platform/core/mail-pieces.ts';
import { signMail } from '../../../platform/mail/sign.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { findAccountByNo } from '../../accounts/sql.ts';
import { mayEverSend } from '../../domains/entitle.ts';
import { findSigner } from '../../domains/sending.ts';
import { openMime } from '../mime/sql.ts';
import { isSuppressed } from '../suppression/sql.ts';
import { repeatResult } from './outcome.ts';
import type { Leased, LeasedRecipient } from './sql.ts';
import type { RecipientResult } from './writes.ts';

export interface Prepared {
  email: Leased;
  /** The recipients to send to. If there are none, nothing is sent. */
  recipients: LeasedRecipient[];
  mail: MailPieces;
  /** Recipients that our policy has refused since the email was queued. */
  refused: RecipientResult[];
}

/** Checks and signs an email. Rejects only for faults on our side. */
export async function prepare(services: PlatformServices, email: Leased): Promise<Prepared> {
  const { store, clock, plans } = services;
  const sendNothing = (response: string): Prepared => ({
    email,
    recipients: [],
    mail: toMailPieces(new Uint8Array()),
    refused: repeatResult(email.recipients, { status: 'rejected', response, suppress: null }),
  });
  const account = findAccountByNo(store, email.account_no);
  if (account?.status !== 'active') return sendNothing('the account is no longer active');
  if (!account.outbound || !mayEverSend(account, plans)) return sendNothing('the account may no longer send');
  const signer = findSigner(services, email.account_no, `sender@${email.from_domain}`);
  if (!signer) return sendNothing(`the domain ${email.from_domain} is no longer verified for sending`);
  const nowUs = clock.nowUs();
  const isRefused = ({ email: address }: LeasedRecipient) =>
    isSuppressed(store, email.account_no, address.toLowerCase(), nowUs);
  const refused = repeatResult(email.recipients.filter(isRefused), {
    status: 'rejected',
    response: 'the address is on the suppression list',
    suppress: null,
  });
  const recipients = email.recipients.filter((recipient) => !isRefused(recipient));
  const stored = openMime(store, email.no);
  if (!stored) throw new Error(`the stored bytes of ${email.id} are missing`);
  const mail = recipients.length > 0 ? await signMail(stored, signer) : stored;
  return { email, recipients, mail, refused };
}
