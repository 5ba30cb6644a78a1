import type { Account } from '../../features/accounts/account.ts';
import { findTrap } from '../../features/accounts/trap.ts';
import { findOwnInbox } from '../../features/inboxes/sql.ts';
import { receiveBytes } from '../../features/ingest/import.ts';
import { judgeInTrap } from '../../features/ingest/recipient.ts';
import { fail } from '../../platform/core/failure.ts';
import { makeReachable } from '../../platform/core/host-port.ts';
import { newId } from '../../platform/core/id.ts';
import { composeTestMail } from '../../platform/mail/compose-test-mail.ts';
import { submitMail } from '../../platform/net/submit.ts';
import { makeSampleMail } from '../../rules/sample-mail.ts';
import type { DashboardServices } from './services.ts';
import type { SentTestMail } from './wire.ts';

/** Recipient of a test mail in a trap while no inbox is open; the examples in the banner use it too. */
const TRAP_ADDRESS = 'you@example.com';
const FROM = { name: 'Postern', address: 'test@example.com' };

/** Sends a mail with a code to one of the account's own inboxes, and nowhere else. */
export async function sendTestMail(
  services: DashboardServices,
  account: Account,
  inboxId: string | null,
): Promise<SentTestMail> {
  const trap = findTrap(services, account);
  const inbox = inboxId === null ? null : findOwnInbox(services.store, account.no, inboxId);
  const address = inbox?.address ?? (trap && inboxId === null ? TRAP_ADDRESS : fail('not_found'));
  if (inbox && !inbox.is_enabled) refuse('This inbox is turned off.');
  const { code, subject, text } = makeSampleMail();
  const to = [{ name: '', address }];
  const none = { cc: [], reply_to: [], html: '', headers: [], attachments: [] };
  const bytes = await composeTestMail({ from: FROM, to, subject, text, ...none }, services.clock.nowUs());
  const door = services.listening.smtp.find(({ tls }) => !tls);
  // An account's trap needs one of its keys, which the server does not have, so the mail is ingested directly.
  if (door && !trap?.isApart) await submit(door, address, bytes);
  else {
    const verdict = trap ? judgeInTrap(services, trap, address, new Set()) : null;
    if (verdict && !('deliver' in verdict)) refuse('Your plan’s inboxes are used up: delete one first.');
    const recipient = verdict ? verdict.deliver : { envelope_recipient: address, address };
    const stored = await receiveBytes(services, trap, describe(recipient), bytes);
    if (stored.length === 0) refuse('This inbox is turned off.');
  }
  return { address, code };
}

/** By SMTP to ourselves, so that it shows that SMTP works. A fault rule applies to it as to any mail. */
async function submit(
  door: { host: string; port: number },
  address: string,
  bytes: Uint8Array,
): Promise<void> {
  await submitMail(makeReachable(door), { from: FROM.address, to: [address], mail: bytes }).catch(
    (fault: Error) => refuse(`The mail was not accepted: ${fault.message}`),
  );
}

function describe(recipient: { envelope_recipient: string; address: string }) {
  return {
    session: newId('request'),
    envelope_from: FROM.address,
    helo: 'localhost',
    client_address: '127.0.0.1',
    protocol: 'HTTP',
    smtp_user: null,
    recipients: [recipient],
  };
}

function refuse(text: string): never {
  return fail('conflict', { text });
}
