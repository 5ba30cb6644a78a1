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

/** Creates an agent's account. The store keeps the key's hash and, for 24 h if a repeat may ask, the sealed key. */
export async function registerAgent(
  { store, settings, plans, key }: PlatformServices,
  name: string,
  once: Parameters<typeof registerOp.run>[1]['once'],
): Promise<NewAgent> {
  const made = newApiKey();
  const registered = await store.write(registerOp, {
    name,
    hash: made.hash,
    key_prefix: made.key_prefix,
    sealedKey: Buffer.from(key.seal(made.api_key, SEAL_CONTEXT)).toString('base64'),
    cap: plans.free.inboxes,
    domain: settings.mail_domain,
    once,
  });
  // On a repeat this is the first call's key, not the one just created.
  const apiKey = key.open(Buffer.from(registered.sealedKey, 'base64'), SEAL_CONTEXT).toString();
  return { api_key: apiKey, key_prefix: registered.key_prefix, inbox: registered.inbox };
}
