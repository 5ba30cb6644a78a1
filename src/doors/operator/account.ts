import { createAccount } from '../../features/accounts/create.ts';
import { deleteAccount } from '../../features/accounts/delete.ts';
import { readEmail } from '../../features/accounts/email.ts';
import { findAccount } from '../../features/accounts/find.ts';
import { readName } from '../../features/accounts/name.ts';
import { checkPassword, requirePasswords } from '../../features/accounts/password.ts';
import { listAccounts, listAccountsOwnedBy } from '../../features/accounts/sql.ts';
import { viewAccount } from '../../features/accounts/view.ts';
import type { AccountView } from '../../features/accounts/wire.ts';
import { type AccountChanges, changeAccountOp } from '../../features/accounts/writes.ts';
import {
  type AccountKind,
  type AccountStatus,
  accountKinds,
  accountStatuses,
  type Plan,
  planNames,
} from '../../rules/plans.ts';
import { type Flag, given, type Input, onOff, type StoreCommand } from './command.ts';
import { formatFields, formatTable } from './table.ts';

export const accountArgument = { name: 'A', meaning: "an account's id, or its owner's email" };
export const passwordFlag: Flag = {
  name: 'password-stdin',
  meaning: 'read the password, one line, from standard input',
  readsStdinAs: 'password',
};

const trapMeaning = 'make it a trap: mail to any address is accepted with an API key as the SMTP password';

interface CreatedView {
  account_id: string;
  email: string | null;
  plan: string;
  api_key: string;
  key_prefix: string;
}

const create: StoreCommand = {
  name: 'account create',
  meaning: 'create an account, its owner, and an API key for the owner',
  flags: [
    {
      name: 'email',
      value: 'E',
      required: true,
      check: readEmail,
      meaning: "the owner's email; someone who owns an account gets another one",
    },
    { name: 'plan', value: 'P', choices: planNames, meaning: 'business by default' },
    {
      name: 'name',
      value: 'N',
      check: readName,
      meaning: 'name of the account; the email by default',
    },
    passwordFlag,
    { name: 'trap', value: 'V', choices: onOff, meaning: trapMeaning },
  ],
  examples: [
    'postern account create --email ann@example.com',
    'postern account create --email agent@example.com --plan free --json',
  ],
  makesStore: true,
  check: ({ password, email = '', name }) =>
    password !== undefined && checkPassword(password, { email, ...(name !== undefined && { name }) }),
  async run({ services }, input): Promise<CreatedView> {
    if (input.password !== undefined) requirePasswords(services);
    const { account, key, api_key } = await createAccount(services, {
      email: given(input, 'email'),
      plan: input.plan as Plan | undefined,
      name: input.name,
      password: input.password,
      trap: input.trap === 'on',
    });
    const { id, email, plan } = account;
    return { account_id: id, email, plan, api_key, key_prefix: key.key_prefix };
  },
  warn({ services }, { account_id, email }: CreatedView) {
    const owned = email === null ? [] : listAccountsOwnedBy(services.store, email);
    if (owned.length < 2) return null;
    const ids = owned.map(({ id }) => id).join(', ');
    return (
      `${email} now owns ${owned.length} accounts, so commands that take the email need the id of one: ${ids}. ` +
      `To undo this: postern account delete ${account_id}`
    );
  },
  show(made: CreatedView, baseUrl) {
    const shown = formatFields([
      ['account', made.account_id],
      ['email', made.email],
      ['plan', made.plan],
      ['API key', made.api_key],
    ]);
    return `${shown}\n\nSave the key: it is not shown again. Create a first inbox:\n  curl -X POST -H 'Authorization: Bearer ${made.api_key}' ${baseUrl}/api/v1/inboxes`;
  },
};

const list: StoreCommand = {
  name: 'account list',
  meaning: 'list all accounts',
  run: async ({ services }): Promise<AccountView[]> => listAccounts(services.store).map(viewAccount),
  show: (accounts: AccountView[]) =>
    accounts.length === 0
      ? 'No accounts yet. Create one: postern account create --email you@example.com'
      : formatTable(
          ['ACCOUNT', 'EMAIL', 'PLAN', 'KIND', 'STATUS', 'FLAGS', 'CREATED'],
          accounts.map((account) => [
            account.account_id,
            account.email ?? '-',
            account.plan,
            account.kind,
            account.status,
            formatFlags(account),
            account.created_at.slice(0, 10),
          ]),
        ),
};

const show: StoreCommand = {
  name: 'account show',
  meaning: 'show an account',
  arguments: [accountArgument],
  run: async ({ services }, input) => viewAccount(findAccount(services.store, given(input, 'a'))),
  show: showAccount,
};

const remove: StoreCommand = {
  name: 'account delete',
  meaning: 'delete an account with its people, keys, inboxes and messages',
  arguments: [accountArgument],
  async run({ services }, input) {
    const { no } = findAccount(services.store, given(input, 'a'));
    return viewAccount(await deleteAccount(services, no));
  },
  show: (account: AccountView) => `Deleted ${account.account_id} (${account.email ?? 'no owner'}).`,
};

const changeFlags: Flag[] = [
  { name: 'plan', value: 'P', choices: planNames, meaning: 'change its plan' },
  {
    name: 'status',
    value: 'S',
    choices: accountStatuses,
    meaning: 'change its status; the API accepts only active accounts',
  },
  { name: 'kind', value: 'K', choices: accountKinds, meaning: 'change its kind' },
  {
    name: 'custom-domains',
    value: 'V',
    choices: onOff,
    meaning: 'allow custom domains, if the plan does',
  },
  {
    name: 'outbound',
    value: 'V',
    choices: onOff,
    meaning: 'allow sending, if the plan and the service do',
  },
  { name: 'operator', value: 'V', choices: onOff, meaning: "show its owners the operator's pages" },
  { name: 'trap', value: 'V', choices: onOff, meaning: trapMeaning },
];

const set: StoreCommand = {
  name: 'account set',
  meaning: "change an account's properties and permissions",
  needsOneOf: changeFlags,
  arguments: [accountArgument],
  flags: changeFlags,
  examples: [
    'postern account set ann@example.com --plan pro',
    'postern account set ann@example.com --status suspended',
  ],
  async run({ services }, input) {
    const { no } = findAccount(services.store, given(input, 'a'));
    return viewAccount(
      await services.store.write(changeAccountOp, { account_no: no, changes: readChanges(input) }),
    );
  },
  show: showAccount,
};

/** Reads only the flags that were given: an absent one must not overwrite a value. */
function readChanges(input: Input): AccountChanges {
  const changes: AccountChanges = {};
  if (input.plan) changes.plan = input.plan as Plan;
  if (input.status) changes.status = input.status as AccountStatus;
  if (input.kind) changes.kind = input.kind as AccountKind;
  for (const flag of ['custom_domains', 'outbound', 'operator', 'trap'] as const) {
    if (input[flag]) changes[flag] = input[flag] === 'on';
  }
  return changes;
}

function formatFlags({ flags }: AccountView): string {
  const on = Object.entries(flags).filter(([, value]) => value);
  return on.map(([name]) => name).join(',') || '-';
}

function showAccount(account: AccountView): string {
  return formatFields([
    ['account', account.account_id],
    ['email', account.email],
    ['plan', account.plan],
    ['kind', account.kind],
    ['status', account.status],
    ['flags', formatFlags(account)],
    ['created', account.created_at],
  ]);
}

export const accountCommands: readonly StoreCommand[] = [create, list, show, set, remove];
