import { newApiKey } from '../../../platform/core/id.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { Account } from '../account.ts';
import { readEmail } from '../email.ts';
import { readName } from '../name.ts';
import type { Key } from '../sql.ts';
import { createKeyOp } from './writes.ts';

export interface KeyInput {
  /** The member who creates it; the owner by default. */
  as?: string;
  name?: string;
  /** Replaces the random key (capture mode). */
  api_key?: string;
}

/** Creates a key for an account. `api_key` is not stored and can't be shown again. */
export async function createKey(
  { store, plans }: Pick<PlatformServices, 'store' | 'plans'>,
  account: Account,
  input: KeyInput,
  cap = plans[account.plan].api_keys,
): Promise<{ key: Key; api_key: string }> {
  const { api_key, hash, key_prefix } = newApiKey(input.api_key);
  const key = await store.write(createKeyOp, {
    account_no: account.no,
    email: input.as === undefined ? null : readEmail(input.as),
    name: readName(input.name ?? ''),
    hash,
    key_prefix,
    cap,
  });
  return { key, api_key };
}
