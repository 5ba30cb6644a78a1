import { createHmac } from 'node:crypto';
import { SECOND_US } from '../../platform/core/clock.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../rules/ids.ts';

/** The signature scheme of docs/api-v1.md (X-Service-Signature-Version). */
export const SIGNATURE_VERSION = '1';

/**
 * Returns the headers with which a receiver recognizes an event and verifies that we sent it: those of docs/api-v1.md
 * (Webhook delivery, rules 2 and 4) and those of Standard Webhooks. During a rotation both secrets sign, newest first.
 */
export function makeEventHeaders(
  event: { id: string; kind: string },
  body: Uint8Array,
  secrets: readonly string[],
  nowUs: number,
): Record<string, string> {
  const t = Math.floor(nowUs / SECOND_US);
  const ours = secrets.map((secret) => `v1=${computeHmac(secret, [`${t}.`, body]).toString('hex')}`);
  const standard = secrets.map(
    (secret) => `v1,${computeHmac(decodeKey(secret), [`${event.id}.${t}.`, body]).toString('base64')}`,
  );
  return {
    'X-Service-Event': event.kind,
    'X-Service-Event-Id': event.id,
    'X-Service-Signature': [`t=${t}`, ...ours].join(','),
    'X-Service-Signature-Version': SIGNATURE_VERSION,
    'webhook-id': event.id,
    'webhook-timestamp': String(t),
    'webhook-signature': standard.join(' '),
  };
}

function computeHmac(key: string | Buffer, parts: readonly (string | Uint8Array)[]): Buffer {
  const sum = createHmac('sha256', key);
  for (const part of parts) sum.update(part);
  return sum.digest();
}

/** Standard Webhooks signs with the decoded bytes of the secret. Our scheme signs with its text. */
function decodeKey(secret: string): Buffer {
  return Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
}
