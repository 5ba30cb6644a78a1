import { randomBytes } from 'node:crypto';
import type { ServerKey } from '../../platform/core/sealed.ts';
import { WEBHOOK_SECRET_PREFIX } from '../../rules/ids.ts';
import type { Webhook } from './sql.ts';

const SECRET_BYTES = 32;

/** The webhook that a secret belongs to. */
type Owner = Pick<Webhook, 'id' | 'inbox_id'>;

/** Creates a signing secret, encrypted for the store. Its owner sees it once, decrypted. */
export function createSecret(key: ServerKey, owner: Owner): Uint8Array {
  const secret = WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return key.seal(secret, formatContext(owner));
}

/** Decrypts a secret. `sealed` is in base64, as a write operation returns it. */
export function openSecret(key: ServerKey, owner: Owner, sealed: string): string {
  return key.open(Buffer.from(sealed, 'base64'), formatContext(owner)).toString();
}

/** Returns the secrets that sign now, newest first. */
export function listSigningSecrets(key: ServerKey, hook: Webhook, nowUs: number): string[] {
  const sealed = [hook.secret];
  if (hook.previous_secret && hook.previous_until! > nowUs) sealed.push(hook.previous_secret);
  return sealed.map((one) => key.open(one, formatContext(hook)).toString());
}

function formatContext({ id, inbox_id }: Owner): string {
  return `webhook secret ${inbox_id ?? id}`;
}
