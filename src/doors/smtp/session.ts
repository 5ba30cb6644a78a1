import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import type { KeyServices } from '../../features/accounts/authenticate.ts';
import { reopenTrap, type Trap } from '../../features/accounts/trap.ts';
import type { FaultReply } from '../../features/faults/rules.ts';
import type { FaultServices } from '../../features/faults/services.ts';
import type { DiaryServices } from '../../features/ingest/diary/diary.ts';
import type { IngestServices } from '../../features/ingest/parser-pool.ts';
import { receiveMail } from '../../features/ingest/receive.ts';
import {
  judgeInTrap,
  judgeRecipient,
  type Recipient,
  type TrapVerdict,
} from '../../features/ingest/recipient.ts';
import { receiveReport } from '../../features/ingest/report.ts';
import type { ReportScope } from '../../features/outbound/sending/bounce-address.ts';
import { Failure } from '../../platform/core/failure.ts';
import { describeThrown, readCode } from '../../platform/core/thrown.ts';
import { isLooping } from '../../platform/mail/structure.ts';
import { type ReplyName, replies } from '../../rules/replies.ts';
import { collectMail, type Intake } from './intake.ts';
import type { MailData } from './mail-data.ts';
import { readUser } from './user.ts';

/** What the SMTP door needs from the app. */
export interface SmtpParts {
  services: IngestServices & DiaryServices & FaultServices & Pick<KeyServices, 'knownCallers'>;
  /** Capture mode's trap, which is open to everyone; null on a server. */
  capture: Trap | null;
  /** Whether free disk space is below the floor. */
  isDiskLow: () => boolean;
}

/** An error in smtp-server's form: the client gets its code and text. */
export class Refusal extends Error {
  readonly responseCode: number;

  constructor(readonly reply: ReplyName) {
    super(replies[reply].text);
    this.responseCode = replies[reply].code;
  }
}

/** A fault rule's reply, in the same form. It has been recorded already. */
export class FaultAnswer extends Error {
  readonly responseCode: number;

  constructor({ code, text }: FaultReply) {
    super(text);
    this.responseCode = code;
  }
}

/** Records a refusal in the diary, once for each recipient, or once without a recipient if none is known yet. */
export function noteRefusal(
  door: SmtpParts,
  reason: ReplyName,
  session: SMTPServerSession,
  recipients: readonly string[] = [],
): void {
  const { envelope_from, helo, client_address } = readTransmission(session);
  const accountNo = (door.capture ?? readUser(session)?.trap)?.account_no;
  for (const recipient of recipients.length > 0 ? recipients : ['']) {
    door.services.diary.note({
      reason,
      client_address,
      helo,
      envelope_from,
      recipient,
      ...(accountNo !== undefined && { account_no: accountNo }),
    });
  }
}

export function acceptSender(door: SmtpParts, session: SMTPServerSession): void {
  door.services.parsers.prestart();
  if (door.isDiskLow()) {
    door.services.log.warn(
      door.services.store.reserve?.isSpent()
        ? 'mail is answered 452: the disk is full. Delete messages or free space'
        : 'mail is answered 452: free disk space is below POSTERN_DISK_FLOOR. Free space, or lower the setting',
    );
    noteRefusal(door, 'store_full', session);
    throw new Refusal('store_full');
  }
}

/** Verdicts at RCPT, by the recipient's object in the envelope. The commit checks again. */
const verdicts = new WeakMap<SMTPServerAddress, TrapVerdict>();

/** Returns the trap of a session; `closed` if its key or account no longer opens it, null if it has none. */
function findSessionTrap(door: SmtpParts, session: SMTPServerSession): Trap | 'closed' | null {
  if (door.capture) return door.capture;
  const open = readUser(session)?.trap;
  return open ? (reopenTrap(door.services, open) ?? 'closed') : null;
}

function judge(door: SmtpParts, address: string, session: SMTPServerSession): TrapVerdict {
  const trap = findSessionTrap(door, session);
  if (trap === 'closed') return { refuse: 'trap_closed' };
  if (trap === null) return judgeRecipient(door.services, address);
  const promised = session.envelope.rcptTo.flatMap((recipient) => verdicts.get(recipient)?.creates ?? []);
  return judgeInTrap(door.services, trap, address, new Set(promised));
}

export function acceptRecipient(
  door: SmtpParts,
  recipient: SMTPServerAddress,
  session: SMTPServerSession,
): void {
  const { address } = recipient;
  const verdict = judge(door, address, session);
  if (!('refuse' in verdict)) {
    verdicts.set(recipient, verdict);
    return;
  }
  door.services.log.info('recipient refused', {
    session: session.id,
    client: session.remoteAddress,
    recipient: address,
    reply: replies[verdict.refuse].text,
  });
  noteRefusal(door, verdict.refuse, session, [address]);
  throw new Refusal(verdict.refuse);
}

/**
 * Handles one mail from its first byte to its reply. Returns the text after 250, or throws a Refusal: 451 for an
 * internal error, 452 for a full store. `faults` may throw a FaultAnswer before the mail is stored.
 */
export async function acceptMail(
  door: SmtpParts,
  stream: MailData,
  session: SMTPServerSession,
  faults: { applyAtDot(session: SMTPServerSession): Promise<void> },
): Promise<string> {
  let intake: Intake | undefined;
  try {
    intake = await collectMail(stream, door.services.spoolDir);
    await refuseUnfit(intake, stream);
    await faults.applyAtDot(session);
    const recipients = listRecipients(session);
    const reported = listReportScopes(session);
    const { raw, size } = intake;
    const mail = { session: session.id, raw, size, ...readTransmission(session) };
    const reports = await Promise.all(reported.map((scope) => receiveReport(door.services, mail, scope)));
    if (recipients.length === 0) {
      // A report has the null reverse-path (RFC 3464, section 2), though some servers use another. A person who writes
      // to this address must learn that nobody reads it.
      const isFit = reported.length === 0 || reports.includes(true) || mail.envelope_from === '';
      if (!isFit) throw new Refusal('reports_only');
      logDropped(door, session);
      return '2.6.0 Accepted';
    }
    const trap = findSessionTrap(door, session);
    if (trap === 'closed') throw new Refusal('trap_closed');
    const stored = await receiveMail(door.services, trap, { ...mail, recipients });
    if (stored.length === 0) throw new Refusal('unknown_recipient');
    logDropped(door, session);
    return `2.6.0 Accepted as ${stored[0]!.message_id}`;
  } catch (thrown) {
    if (thrown instanceof FaultAnswer) throw thrown;
    // A client that ended its data with a bare LF was waiting for the reply until one side gave up.
    const cause = stream.cutOffBy ?? (stream.bareDotLine ? 'bare_dot_line' : null);
    const isExplained = readCode(thrown) === 'ECONNECTION' && cause !== null;
    const refusal = toRefusal(isExplained ? new Refusal(cause) : thrown, door, session);
    noteRefusal(
      door,
      refusal.reply,
      session,
      session.envelope.rcptTo.map(({ address }) => address),
    );
    throw refusal;
  } finally {
    await intake?.done();
  }
}

async function refuseUnfit(intake: Intake, stream: MailData): Promise<void> {
  if (intake.isTooLarge) throw new Refusal('too_large');
  if (stream.bareDotLine) throw new Refusal('bare_dot_line');
  if (isLooping(await intake.readHead())) throw new Refusal('looping');
}

/** Returns the scopes of the bounce addresses among the recipients, without duplicates. */
function listReportScopes(session: SMTPServerSession): ReportScope[] {
  const scopes = session.envelope.rcptTo.flatMap((recipient) => {
    const verdict = verdicts.get(recipient);
    return verdict && 'report' in verdict ? [[JSON.stringify(verdict.report), verdict.report] as const] : [];
  });
  return [...new Map(scopes).values()];
}

/** How many addresses the log names. A stranger decides how many there are: `postmaster+1@`, `postmaster+2@`, … */
const DROPPED_NAMED_MAX = 4;

/** Logs mail to postmaster@ and abuse@ that was dropped because nobody reads it, with a remedy. */
function logDropped({ services }: SmtpParts, session: SMTPServerSession): void {
  const dropped = session.envelope.rcptTo.filter((recipient) => {
    const verdict = verdicts.get(recipient);
    return verdict && 'drop' in verdict;
  });
  if (dropped.length === 0) return;
  const named = dropped.slice(0, DROPPED_NAMED_MAX).map(({ address }) => address);
  const names = named.join(' ');
  const inboxId = services.settings.postmaster_inbox;
  const about = {
    session: session.id,
    client: session.remoteAddress,
    from: readTransmission(session).envelope_from,
    recipient: names,
  };
  if (inboxId === null)
    services.log.info(
      `mail to ${names} accepted and dropped: set POSTERN_POSTMASTER_INBOX to read it`,
      about,
    );
  else {
    const reason =
      'the inbox in POSTERN_POSTMASTER_INBOX does not exist, is disabled or its account is suspended';
    services.log.warn(`mail to ${names} accepted and dropped: ${reason}`, { ...about, inbox_id: inboxId });
  }
}

function listRecipients(session: SMTPServerSession): Recipient[] {
  return session.envelope.rcptTo.flatMap((recipient) => {
    const verdict = verdicts.get(recipient);
    return verdict && 'deliver' in verdict ? [verdict.deliver] : [];
  });
}

function readTransmission(session: SMTPServerSession) {
  // A refused connection has no envelope yet.
  const from = session.envelope?.mailFrom;
  return {
    envelope_from: from ? from.address : '',
    helo: String(session.hostNameAppearsAs || ''),
    client_address: session.remoteAddress,
    protocol: session.transmissionType,
    smtp_user: readUser(session)?.username ?? null,
  };
}

/** ENOSPC can mean space or inodes; EDQUOT is the quota. */
const FULL =
  'its space, its inodes or a quota is used up: df -h and df -i show which; free some, or delete messages';

function toRefusal(thrown: unknown, door: SmtpParts, session: SMTPServerSession): Refusal {
  const about = { session: session.id, client: session.remoteAddress };
  if (thrown instanceof Refusal) {
    door.services.log.info('message refused', { ...about, reply: thrown.message });
    return thrown;
  }
  if (thrown instanceof Failure && thrown.code === 'storage_unavailable') {
    const reason = door.services.store.trouble ?? 'the disk is full';
    door.services.log.error('mail answered 452: the store could not be written', { ...about, reason });
    return new Refusal('store_full');
  }
  if (thrown instanceof Failure && thrown.code === 'plan_limit_reached') return new Refusal('trap_full');
  const code = readCode(thrown);
  if (code === 'ECONNECTION') {
    door.services.log.info('the client hung up before its message ended', about);
    return new Refusal('cut_off');
  } else if (code === 'ENOSPC' || code === 'EDQUOT') {
    door.services.log.error('mail answered 452: the data folder is full', { ...about, reason: FULL });
    return new Refusal('store_full');
  } else {
    door.services.log.error('mail answered 451', {
      ...about,
      fault: describeThrown(thrown),
    });
  }
  return new Refusal('fault');
}
