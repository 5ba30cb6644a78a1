import { newApiKey } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Inbox } from '../inboxes/sql.ts';
import { registerOp } from './writes.ts';

const SEAL_CONTEXT = 'registration.api_key';

export interface NewAgent {
  api_key: string;
  key_prefix: string;
  inbox: Inbox | null;
}

/**
 * Creates an agent's account, key and first inbox. The store keeps the key's hash. If the request has an
 * Idempotency-Key, it also keeps the sealed key for 24 hours, so that a repeat gets the same one.
 */
export async function registerAgent(
  { store, settings, plans, key }: PlatformServices,
  name: string,
  once: Parameters<typeof registerOp.run>[1]['once'],
): Promise<NewAgent> {
  const created = newApiKey();
  const registered = await store.write(registerOp, {
    name,
    hash: created.hash,
    key_prefix: created.key_prefix,
    sealedKey: Buffer.from(key.seal(created.api_key, SEAL_CONTEXT)).toString('base64'),
    cap: plans.free.inboxes,
    domain: settings.mail_domain,
    once,
  });
  // On a repeat this is the key of the first request, not the one just created.
  const apiKey = key.open(Buffer.from(registered.sealedKey, 'base64'), SEAL_CONTEXT).toString();
  return { api_key: apiKey, key_prefix: registered.key_prefix, inbox: registered.inbox };
}
