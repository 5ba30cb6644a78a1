/**
 * Carries out a forward: checks again whether it may be sent, and queues the mail as an outbound email of the inbox.
 */
import { randomBytes } from 'node:crypto';
import { SECOND_US } from '../../../platform/core/clock.ts';
import { Failure } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import { mxHost } from '../../../platform/core/settings.ts';
import { placeByIds } from '../../../platform/mail/message-ids.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { errands as bounds } from '../../../rules/mail-rules.ts';
import { findAccountByNo } from '../../accounts/sql.ts';
import { mayEverSend } from '../../domains/entitle.ts';
import { findSendingDomain } from '../../domains/sending.ts';
import { findInboxById, type Inbox } from '../../inboxes/sql.ts';
import { formatMailDate, formatReceived, readPieces } from '../../messages/raw.ts';
import { findOwnMessage, findOwnRaw, type RawRow } from '../../messages/sql.ts';
import { isApproved } from '../../outbound/allowlist/sql.ts';
import { isOutboundOn } from '../../outbound/entitle.ts';
import { dropMime, storeMime } from '../../outbound/mime/store.ts';
import type { StoredMime } from '../../outbound/mime/writes.ts';
import { readSendingCaps } from '../../outbound/queue.ts';
import { isQuotaLeft, type NewEmail, type SendingCaps } from '../../outbound/writes.ts';
import { type ErrandRow, findErrandMessage } from '../sql.ts';
import { findLoop, formatResent, HeaderTooLong, joinResent, readTrail } from './resent.ts';
import { type ErrandResult, queueForwardOp, refuseForwardsOp } from './writes.ts';

/** Seconds to wait if our own queue or disk has no room. */
const RETRY_S = 60;

/** Queues the email and returns null, or returns why it is not queued. Rejects for faults on our side. */
export async function carryOutForward(
  services: PlatformServices,
  errand: ErrandRow,
): Promise<ErrandResult | null> {
  const { store } = services;
  const refuse = (reason: string): ErrandResult => ({
    no: errand.no,
    status: 'refused',
    reason,
    due_at: null,
  });
  const found = findErrandMessage(store, errand.received_at);
  const inbox = found && findInboxById(store, found.inbox_id);
  const raw = found && findOwnRaw(store, errand.account_no, found.id);
  if (!inbox || !raw) return refuse('the message was deleted');
  const policy = judgeForward(services, inbox, errand.target);
  if (policy !== null) return refuse(policy);
  const { plan } = findAccountByNo(store, errand.account_no)!;
  const caps = readSendingCaps(services, plan);
  if (!isQuotaLeft(store, errand.account_no, caps, services.clock.nowUs()))
    return refuseAll(services, errand, caps);
  let stored: StoredMime | null = null;
  try {
    const composed = await compose(services, { inbox, raw, to: errand.target });
    if (typeof composed === 'string') return refuse(composed);
    stored = composed.stored;
    const queueing = { email: describe(services, errand, inbox, raw, composed), caps };
    const outboundNo = await store.write(queueForwardOp, { errand_no: errand.no, queueing });
    if (outboundNo === null) await dropMime(services, stored);
    else announce(services, errand, outboundNo);
    return null;
  } catch (fault) {
    if (stored) await dropMime(services, stored);
    if (fault instanceof HeaderTooLong) return refuse('its header is too long');
    if (!(fault instanceof Failure)) throw fault;
    return judgeFailure(services, errand, fault);
  }
}

function announce({ queued }: PlatformServices, { account_no, target }: ErrandRow, outboundNo: number): void {
  queued.announce({ outbound_no: outboundNo, account_no, domains: [readDomain(target)] });
}

/** Refuses this forward, and with it the others that can't be sent for the same reason. */
async function refuseAll(
  { store, meters }: PlatformServices,
  { no, account_no }: ErrandRow,
  caps: SendingCaps,
): Promise<ErrandResult> {
  const refusal = { account_no, caps, reason: QUOTA_REACHED, max: REFUSED_AT_ONCE };
  const refused = await store.write(refuseForwardsOp, refusal);
  if (refused > 1) meters.count('rule_errands_total', { kind: 'forward', status: 'refused' }, refused - 1);
  return { no, status: 'refused', reason: QUOTA_REACHED, due_at: null };
}

/** How many forwards one write ends: a few milliseconds of work. */
const REFUSED_AT_ONCE = 200;

const QUOTA_REACHED = 'the account’s hourly or daily recipient cap is reached (outbound_quota_exceeded)';

/** Returns why an inbox may not forward to an address; null if it may. The dry run uses it too. */
export function judgeForward(services: PlatformServices, inbox: Inbox, to: string): string | null {
  const { store, plans } = services;
  if (!isOutboundOn(services)) return 'sending is off on this server';
  const account = findAccountByNo(store, inbox.account_no);
  if (account?.status !== 'active') return 'the account is not active';
  if (!mayEverSend(account, plans))
    return 'the plan does not include sending (outbound_entitlement_required)';
  if (!account.outbound) return 'sending is not enabled for this account (outbound_disabled)';
  if (!findSendingDomain(store, inbox.account_no, inbox.address))
    return `${inbox.address} is not on a verified domain with DKIM (sending_domain_not_eligible)`;
  if (!isApproved(store, inbox.account_no, to.toLowerCase()))
    return `${to} is no longer an approved recipient (recipient_not_approved)`;
  return null;
}

interface Composed {
  stored: StoredMime;
  /** With angle brackets. */
  resentId: string;
}

/** Stores the bytes of the forward, or returns why it may not be sent. */
async function compose(
  services: PlatformServices,
  { inbox, raw, to }: { inbox: Inbox; raw: RawRow; to: string },
): Promise<Composed | string> {
  const { store, key, clock, settings } = services;
  const pieces = readPieces(store, raw);
  const first = pieces.next();
  const head = first.value ?? new Uint8Array();
  const trail = readTrail(head, key);
  const loop = findLoop(trail, inbox.id, to);
  if (loop !== null) return loop;
  const resentId = `<${randomBytes(16).toString('hex')}@${readDomain(inbox.address)}>`;
  const date = formatMailDate(clock.nowUs());
  const receivedField = formatReceived(raw, mxHost(settings));
  const fields = formatResent({ inbox, to, resentId, date, receivedField }, trail, key);
  const mail = (function* () {
    yield head;
    yield* pieces;
  })();
  return { stored: await storeMime(services, joinResent(fields, mail)), resentId };
}

function describe(
  { store }: PlatformServices,
  errand: ErrandRow,
  inbox: Inbox,
  raw: RawRow,
  { stored, resentId }: Composed,
): NewEmail {
  const { target } = errand;
  return {
    id: newId('outbound_email'),
    account_no: errand.account_no,
    inbox_id: inbox.id,
    kind: 'forward',
    sender: inbox.address,
    from_domain: readDomain(inbox.address),
    from_address: inbox.address,
    to: JSON.stringify([target]),
    cc: '[]',
    bcc: '[]',
    reply_to: null,
    subject: findOwnMessage(store, errand.account_no, raw.id)?.subject ?? '',
    message_id: resentId,
    in_reply_to: null,
    references: '[]',
    placing: placeByIds(resentId, [], []),
    answers: raw.id,
    reply_text: null,
    recipients: [{ email: target, domain: readDomain(target), field: 'forward_to' }],
    attachments: [],
    stored,
  };
}

/** Returns the result after a failure. A full queue or disk may have room later; any other failure ends the forward. */
function judgeFailure(
  { clock }: PlatformServices,
  { no, created_at }: ErrandRow,
  { code, message, retryAfterS }: Failure,
): ErrandResult {
  const isTemporary = code === 'outbound_rate_limited' || code === 'storage_unavailable';
  const nowUs = clock.nowUs();
  const reason = `${message} (${code})`;
  if (isTemporary && nowUs < created_at + bounds.forwardWaitS * SECOND_US)
    return { no, status: 'pending', reason, due_at: nowUs + (retryAfterS ?? RETRY_S) * SECOND_US };
  return { no, status: 'refused', reason, due_at: null };
}

function readDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
