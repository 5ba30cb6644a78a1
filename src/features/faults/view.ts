import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { FaultRule } from './rules.ts';
import type { SmtpFaultView } from './wire.ts';

export function viewFault(rule: FaultRule): SmtpFaultView {
  return {
    id: rule.id,
    stage: rule.stage,
    recipient: rule.recipient,
    sender: rule.sender,
    reply: rule.reply && `${rule.reply.code} ${rule.reply.text}`,
    drop: rule.drop,
    delay_ms: rule.delayMs,
    skip: rule.skip,
    times: rule.times,
    probability: rule.probability,
    seed: rule.seed,
    hits: rule.hits,
    created_at: isoTime(rule.createdAtUs),
    expires_at: isoTimeOrNull(rule.expiresAtUs),
  };
}
