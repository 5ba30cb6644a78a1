import { fail, failField } from '../../../platform/core/failure.ts';
import { toMailPieces } from '../../../platform/core/mail-pieces.ts';
import type { Mailbox } from '../../../platform/mail/mailbox.ts';
import type { ServerReply } from '../../../platform/net/server-reply.ts';
import type { Opened, SmtpSession } from '../../../platform/net/smtp-client.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { CaptureOwner } from '../../accounts/capture-account.ts';
import { readPieces } from '../../messages/raw.ts';
import { findOwnRaw } from '../../messages/sql.ts';
import { dedupeAddressing, readFields } from '../addressing.ts';
import { findServerAddresses, makeServerOptions, parseSmarthost, type Server } from '../sending/server.ts';
import { openWithFallback } from '../sending/tls-fallback.ts';
import { ReleaseDeadline } from './deadline.ts';
import type { Release, ReleaseDiary } from './diary.ts';

/*
 * Releasing sends one captured mail on to a real address, with its bytes as received and a new envelope. It goes
 * through the operator's smarthost, only to recipients on the operator's list (docs/testing.md).
 */

export interface ReleaseServices extends PlatformServices {
  readonly capture: CaptureOwner | null;
  readonly releases: ReleaseDiary;
}

/** Returns the addresses and domains to which capture releases mail; null if it releases none. */
export function readReleaseAllow({
  settings,
  capture,
}: Pick<ReleaseServices, 'settings' | 'capture'>): readonly string[] | null {
  if (!capture || settings.release_smarthost === null) return null;
  return settings.release_allow;
}

/** Sends a mail, and returns the result for each recipient. Fails if the smarthost accepted it for none. */
export async function releaseMessage(
  services: ReleaseServices,
  accountNo: number,
  id: string,
  written: readonly string[],
): Promise<{ releases: Release[]; isExact: boolean }> {
  const allow = readReleaseAllow(services) ?? fail('not_found');
  const recipients = readRecipients(services, written, allow);
  const raw = findOwnRaw(services.store, accountNo, id) ?? fail('not_found');
  const waitS = services.releases.take();
  if (waitS !== null) return fail('outbound_rate_limited', { retryAfterS: waitS });
  const mail = Buffer.concat([...readPieces(services.store, raw)]);
  const server = parseSmarthost(services.settings.release_smarthost!);
  using deadline = new ReleaseDeadline(services.clock);
  const session = await openSmarthost(services, server, deadline);
  const to = recipients.map(({ email }) => email);
  // Reports go to the person who released it, never to the sender that the mail claims.
  const { replies } = await session
    .send({ from: to[0]!, to }, deadline.watch(toMailPieces(mail)))
    .finally(() => session.close());
  const at = services.clock.nowUs();
  const releases = to.map((email): Release => {
    const reply = replies.get(email) ?? { code: null, text: 'no reply' };
    return {
      at,
      to: email,
      isAccepted: judgeAcceptance(reply, deadline),
      reply: deadline.formatReply(reply),
    };
  });
  for (const release of releases) {
    services.releases.add(id, release);
    services.log.info('message released', { id, to: release.to, reply: release.reply });
  }
  failUnlessAccepted(releases, server.host);
  return { releases, isExact: hasOnlyCrlf(mail) };
}

/** Returns whether the smarthost accepted the mail; null if it may have. */
function judgeAcceptance({ code }: ServerReply, { isSent }: ReleaseDeadline): boolean | null {
  return code === null && isSent ? null : code !== null && code >= 200 && code < 300;
}

function failUnlessAccepted(releases: readonly Release[], host: string): void {
  if (releases.some(({ isAccepted }) => isAccepted)) return;
  const unknown = releases.filter(({ isAccepted }) => isAccepted === null);
  if (unknown.length === 0)
    fail('conflict', { text: `The smarthost refused the mail: ${releases[0]!.reply}` });
  const names = unknown.map(({ to }) => to).join(', ');
  fail('conflict', {
    text: `The smarthost ${host} got the whole mail, but did not say whether it accepts it: ${unknown[0]!.reply}. It may have accepted it, so check the mailbox of ${names} before you release it again.`,
  });
}

function readRecipients(
  { settings }: ReleaseServices,
  written: readonly string[],
  allow: readonly string[],
): Mailbox[] {
  const read = readFields({ to: written });
  const { to } = dedupeAddressing({ to: read.to, cc: [], bcc: [] }, settings.outbound_recipients_max);
  if (to.length === 0) failField('to', 'must have at least one address');
  const refused = to.filter(
    ({ email, domain }) => !allow.includes(email.toLowerCase()) && !allow.includes(domain),
  );
  if (refused.length > 0) {
    const names = refused.map(({ email }) => email).join(', ');
    const reason = `has ${names}, but POSTERN_RELEASE_ALLOW allows only ${allow.join(', ')}`;
    fail('recipient_not_approved', { fields: { to: [reason] } });
  }
  return to;
}

/** Connects to the smarthost, or fails with a conflict that says what to do. */
async function openSmarthost(
  services: ReleaseServices,
  server: Server,
  deadline: ReleaseDeadline,
): Promise<SmtpSession> {
  const { host } = server;
  const found = await findServerAddresses(services, server);
  if (found.kind !== 'addresses') return refuse(host, found.reason);
  let opened: Opened | null = null;
  for (const address of found.addresses) {
    const options = makeServerOptions(services, server, address, deadline.signal);
    // Not remembered: a person who releases again may have repaired the TLS of the smarthost.
    opened = await openWithFallback(services.log, options, null);
    if (opened.kind === 'open') return opened.session;
  }
  return refuse(host, opened ? deadline.formatReply(opened.reply) : 'it has no address');
}

function refuse(host: string, reason: string): never {
  return fail('conflict', {
    text: `The smarthost ${host} can’t be used: ${reason}. Check POSTERN_RELEASE_SMARTHOST.`,
  });
}

/**
 * SMTP has no other line end (RFC 5321, section 2.3.8), so a mail with a bare LF or CR is not sent exactly as it is.
 */
function hasOnlyCrlf(mail: Uint8Array): boolean {
  for (let at = 0; at < mail.length; at++) {
    if (mail[at] === 0x0a && mail[at - 1] !== 0x0d) return false;
    if (mail[at] === 0x0d && mail[at + 1] !== 0x0a) return false;
  }
  return true;
}
