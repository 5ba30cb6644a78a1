import { randomBytes } from 'node:crypto';
import type { ServerKey } from '../../platform/core/sealed.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../rules/ids.ts';
import type { Webhook } from './sql.ts';

const SECRET_BYTES = 32;

/** Whose secret it is: an inbox's webhook's, or a webhook's of the whole account. */
type Owner = Pick<Webhook, 'id' | 'inbox_id'>;

/** Creates a signing secret, sealed for the store. It is shown once, opened. */
export function createSecret(key: ServerKey, owner: Owner): Uint8Array {
  const secret = WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return key.seal(secret, formatContext(owner));
}

/** @param sealed in base64, as a write operation returns it. */
export function openSecret(key: ServerKey, owner: Owner, sealed: string): string {
  return key.open(Buffer.from(sealed, 'base64'), formatContext(owner)).toString();
}

/** The secrets that sign now, newest first. */
export function listSigningSecrets(key: ServerKey, hook: Webhook, nowUs: number): string[] {
  const sealed = [hook.secret];
  if (hook.previous_secret && hook.previous_until! > nowUs) sealed.push(hook.previous_secret);
  return sealed.map((one) => key.open(one, formatContext(hook)).toString());
}

function formatContext({ id, inbox_id }: Owner): string {
  return `webhook secret ${inbox_id ?? id}`;
}
