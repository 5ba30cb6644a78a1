import { readEmail } from '../../features/accounts/email.ts';
import { findAccount } from '../../features/accounts/find.ts';
import { createKey } from '../../features/accounts/keys/create.ts';
import { revokeKeyOp } from '../../features/accounts/keys/writes.ts';
import { readName } from '../../features/accounts/name.ts';
import { listKeys } from '../../features/accounts/sql.ts';
import { viewKey } from '../../features/accounts/view.ts';
import type { KeyView } from '../../features/accounts/wire.ts';
import { accountArgument } from './account.ts';
import { given, type StoreCommand } from './command.ts';
import { formatTable } from './table.ts';

const create: StoreCommand = {
  name: 'key create',
  meaning: 'create an API key',
  arguments: [accountArgument],
  flags: [
    {
      name: 'as',
      value: 'EMAIL',
      check: readEmail,
      meaning: 'the member who gets the key; the owner by default',
    },
    { name: 'name', value: 'N', check: readName, meaning: 'what the key is for' },
  ],
  examples: ['postern key create ann@example.com --name ci'],
  async run({ services }, input) {
    const account = findAccount(services.store, given(input, 'a'));
    const { key, api_key } = await createKey(services, account, { as: input.as, name: input.name });
    return { key_id: key.id, api_key, key_prefix: key.key_prefix, role: key.role };
  },
  show: (made: { key_id: string; api_key: string; role: string }) =>
    `Created ${made.key_id} (${made.role}). Save the key: it is not shown again.\n  ${made.api_key}`,
};

const list: StoreCommand = {
  name: 'key list',
  meaning: "list an account's API keys, without their secrets",
  arguments: [accountArgument],
  run: async ({ services }, input) =>
    listKeys(services.store, findAccount(services.store, given(input, 'a')).no).map(viewKey),
  show: (keys: KeyView[]) =>
    keys.length === 0
      ? 'No keys. Create one: postern key create A'
      : formatTable(
          ['KEY', 'BEGINS WITH', 'ROLE', 'NAME', 'CREATED', 'REVOKED'],
          keys.map((key) => [
            key.key_id,
            key.key_prefix,
            key.role,
            key.name || '-',
            key.created_at.slice(0, 10),
            key.revoked_at?.slice(0, 10) ?? '-',
          ]),
        ),
};

const revoke: StoreCommand = {
  name: 'key revoke',
  meaning: 'revoke an API key immediately',
  arguments: [{ name: 'KEY_ID', meaning: 'the id from key list' }],
  run: async ({ services }, input) =>
    viewKey(await services.store.write(revokeKeyOp, { id: given(input, 'key_id') })),
  show: (key: KeyView) => `Revoked ${key.key_id} (${key.key_prefix}…).`,
};

export const keyCommands: readonly StoreCommand[] = [create, list, revoke];
