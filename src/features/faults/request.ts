/** Checks a request for a fault rule. A rule that could never match or would do nothing is refused. */
import { SECOND_US } from '../../platform/core/clock.ts';
import { failField } from '../../platform/core/failure.ts';
import type { FaultReply, NewFaultRule } from './rules.ts';
import { type Stage, stages } from './stages.ts';
import type { SmtpFaultRequest } from './wire.ts';

/** Returns the requested rule. Throws validation_error under the field that is wrong. */
export function readFault(request: SmtpFaultRequest, nowUs: number): NewFaultRule {
  const { stage, recipient, sender, drop, delay_ms, times, expires_in_s, probability } = request;
  if (sender !== undefined) checkSender(stage, sender);
  if (recipient !== undefined) checkRecipient(stage, recipient);
  const reply = request.reply === undefined ? null : readReply(request.reply);
  if (reply && drop) failField('drop', 'excludes reply: a connection that is dropped gets none');
  if (!reply && !drop && delay_ms === 0) failField('reply', 'is missing: give reply, drop or delay_ms');
  return {
    stage,
    recipient: recipient ?? null,
    sender: sender ?? null,
    reply,
    drop,
    delayMs: delay_ms,
    skip: request.skip,
    times: times ?? null,
    probability: probability ?? null,
    seed: request.seed,
    expiresAtUs: expires_in_s === undefined ? null : nowUs + expires_in_s * SECOND_US,
  };
}

function checkSender(stage: Stage, pattern: string): void {
  if (isBefore(stage, 'mail')) failField('sender', `is not known at stage ${stage}`);
  if (pattern !== '' && !canMatch(pattern)) failField('sender', 'can match no address');
}

function checkRecipient(stage: Stage, pattern: string): void {
  if (isBefore(stage, 'rcpt')) failField('recipient', `is not known at stage ${stage}`);
  // Postmaster is the only recipient without a domain (RFC 5321 4.5.1).
  if (!canMatch(pattern) && pattern.toLowerCase() !== 'postmaster')
    failField('recipient', 'can match no address');
}

function isBefore(stage: Stage, later: Stage): boolean {
  return stages.indexOf(stage) < stages.indexOf(later);
}

/** An address has a local part and a domain, and no control characters. A star may replace any part of it. */
function canMatch(pattern: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that SMTP refuses.
  return /^[^\x00-\x1f\x7f-\x9f]+$/.test(pattern) && (pattern.includes('*') || /^.+@.+$/.test(pattern));
}

function readReply(text: string): FaultReply {
  const [, code, words] = /^([45]\d\d)(?: ([\x20-\x7e]*))?$/.exec(text) ?? [];
  if (code === undefined) {
    return failField('reply', 'must be a code from 400 to 599, then printable ASCII on one line');
  }
  return {
    code: Number(code),
    text: words?.trim() || (code.startsWith('4') ? '4.0.0 Try again later' : '5.0.0 Refused'),
  };
}
