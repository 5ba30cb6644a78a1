import { randomBytes } from 'node:crypto';
import type { ServerKey } from '../../platform/core/sealed.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../rules/ids.ts';
import type { Webhook } from './sql.ts';

const SECRET_BYTES = 32;

/** Creates a signing secret. Returns it in plain text, to be shown once, and sealed for the store. */
export function createSecret(key: ServerKey, inboxId: string): { secret: string; sealed: Uint8Array } {
  const secret = WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return { secret, sealed: key.seal(secret, formatContext(inboxId)) };
}

/** The secrets that sign now, newest first. */
export function listSigningSecrets(key: ServerKey, hook: Webhook, nowUs: number): string[] {
  const sealed = [hook.secret];
  if (hook.previous_secret && hook.previous_until! > nowUs) sealed.push(hook.previous_secret);
  return sealed.map((one) => key.open(one, formatContext(hook.inbox_id)).toString());
}

function formatContext(inboxId: string): string {
  return `webhook secret ${inboxId}`;
}
