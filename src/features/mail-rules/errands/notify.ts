/** Carries out a notice: posts the rule's template, filled with values from the message. */
import { isoTime } from '../../../platform/core/clock.ts';
import { post } from '../../../platform/net/post.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { findAccountByNo } from '../../accounts/sql.ts';
import { findInboxById } from '../../inboxes/sql.ts';
import { findOwnMessage, type MessageRow } from '../../messages/sql.ts';
import { viewMessage } from '../../messages/view.ts';
import { computeRetryDelay, judgeStatus, readRetryAfter } from '../../webhooks/backoff.ts';
import { type ErrandRow, findErrandMessage, findOwnRule, readRule } from '../sql.ts';
import { fillTemplate, type Placeholder } from '../template.ts';
import type { ErrandResult } from './writes.ts';

const USER_AGENT = 'Postern-Rule/1';
const REASON_CHARS_MAX = 300;

/** Makes one attempt and returns its result. Never rejects because of the receiver. */
export async function carryOutNotice(
  services: PlatformServices,
  errand: ErrandRow,
  signal: AbortSignal,
): Promise<ErrandResult> {
  const { store, settings, outside, clock } = services;
  const end = (status: 'done' | 'failed' | 'refused', reason: string | null): ErrandResult => {
    return { no: errand.no, status, reason: reason?.slice(0, REASON_CHARS_MAX) ?? null, due_at: null };
  };
  const row = findOwnRule(store, errand.account_no, errand.target);
  const notice = row && readRule(row).actions.notify;
  if (!notice) return end('refused', 'the rule was deleted, or no longer notifies');
  const refused = judgeNotice(services, errand.account_no);
  if (refused !== null) return end('refused', refused);
  const found = findErrandMessage(store, errand.received_at);
  const message = found && findOwnMessage(store, errand.account_no, found.id);
  if (!message) return end('refused', 'the message was deleted');
  const address = findInboxById(store, message.inbox_id)?.address ?? '';
  const outcome = await post({
    url: notice.url,
    headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT },
    body: Buffer.from(fillTemplate(notice.template, listValues(message, address, row.name))),
    allow: settings.webhook_allow_networks ?? [],
    resolver: outside.resolver,
    extraCa: outside.extraCa,
    signal,
  });
  if (outcome.kind === 'refused')
    return end('refused', `the URL may not be called: ${outcome.reasons.join('; ')}`);
  const isAnswered = outcome.kind === 'answered';
  const reason = isAnswered ? `the receiver answered ${outcome.status}` : outcome.reasons.join('; ');
  const means = isAnswered ? judgeStatus(outcome.status) : 'retry';
  if (means === 'delivered') return end('done', reason);
  const nowUs = clock.nowUs();
  const retryAfterUs = isAnswered ? readRetryAfter(outcome.status, outcome.retryAfter, nowUs) : 0;
  const delayUs = means === 'retry' ? computeRetryDelay(errand.tries + 1, retryAfterUs) : null;
  if (delayUs === null) return end('failed', reason);
  return { ...end('failed', reason), status: 'pending', due_at: nowUs + delayUs };
}

/** Returns why an account's notices are not sent; null if they are. The dry run uses it too. */
export function judgeNotice({ store, plans }: PlatformServices, accountNo: number): string | null {
  const account = findAccountByNo(store, accountNo);
  if (account?.status !== 'active') return 'the account is not active';
  if (plans[account.plan].webhooks === 0)
    return 'the plan does not include webhooks (webhook_entitlement_required)';
  return null;
}

function listValues(row: MessageRow, inbox: string, rule: string): Record<Placeholder, string> {
  const { from, envelope_recipient, subject, otp, magic_link, text, id } = viewMessage(row);
  return {
    from,
    to: envelope_recipient,
    subject,
    code: otp ?? '',
    link: magic_link ?? '',
    text: text.trim(),
    inbox,
    message_id: id,
    received_at: isoTime(row.received_at),
    rule,
  };
}
