import { newApiKey } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { newPlans, type Plan } from '../../rules/plans.ts';
import type { Account } from './account.ts';
import { readEmail } from './email.ts';
import { readName } from './name.ts';
import { hashPassword } from './password.ts';
import type { Key, User } from './sql.ts';
import { createAccountOp } from './writes.ts';

export interface AccountInput {
  email: string;
  plan?: Plan;
  name?: string;
  password?: string;
  trap?: boolean;
  /** Replaces the random key (capture mode). */
  api_key?: string;
}

/** An account and all that was created with it. `api_key` is not stored and can't be shown again. */
export interface CreatedAccount {
  account: Account;
  owner: User;
  key: Key;
  api_key: string;
}

/** Creates an account, its owner and an owner's key in one transaction. For the operator's commands. */
export async function createAccount(
  services: Pick<PlatformServices, 'store'>,
  input: AccountInput,
): Promise<CreatedAccount> {
  const email = readEmail(input.email);
  const name = readName(input.name ?? email);
  const passwordHash =
    input.password === undefined ? null : await hashPassword(input.password, { email, name });
  const { api_key, hash, key_prefix } = newApiKey(input.api_key);
  const created = await services.store.write(createAccountOp, {
    account: {
      email,
      name,
      plan: input.plan ?? newPlans.created,
      kind: 'standard',
      status: 'active',
      custom_domains: true,
      outbound: true,
      trap: input.trap ?? false,
    },
    password_hash: passwordHash,
    key: { hash, key_prefix, name: 'first key' },
  });
  return { ...created, api_key };
}
