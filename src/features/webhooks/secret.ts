import { randomBytes } from 'node:crypto';
import type { ServerKey } from '../../platform/core/sealed.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../rules/ids.ts';
import type { Webhook } from './sql.ts';

const SECRET_BYTES = 32;

/**
 * Creates a signing secret. Returns it in plain text, to be shown once, and sealed for the store. `ownerId`: of the
 * inbox, or of a webhook of the whole account.
 */
export function createSecret(key: ServerKey, ownerId: string): { secret: string; sealed: Uint8Array } {
  const secret = WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return { secret, sealed: key.seal(secret, formatContext(ownerId)) };
}

/** The secrets that sign now, newest first. */
export function listSigningSecrets(key: ServerKey, hook: Webhook, nowUs: number): string[] {
  const sealed = [hook.secret];
  if (hook.previous_secret && hook.previous_until! > nowUs) sealed.push(hook.previous_secret);
  return sealed.map((one) => key.open(one, formatContext(hook.inbox_id ?? hook.id)).toString());
}

function formatContext(ownerId: string): string {
  return `webhook secret ${ownerId}`;
}
