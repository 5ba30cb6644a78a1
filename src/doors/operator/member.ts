import { readEmail } from '../../features/accounts/email.ts';
import { findAccount, findMember } from '../../features/accounts/find.ts';
import { addMember, removeMember, renewInvite, setPassword } from '../../features/accounts/members.ts';
import { findSignInOptions } from '../../features/accounts/passkeys/place.ts';
import { canSignIn } from '../../features/accounts/passkeys/sql.ts';
import { resetTotpOp } from '../../features/accounts/second-factor/writes.ts';
import { listUsers } from '../../features/accounts/sql.ts';
import { viewUser } from '../../features/accounts/view.ts';
import type { UserView } from '../../features/accounts/wire.ts';
import { accountArgument, passwordFlag } from './account.ts';
import { given, type StoreCommand, UsageError } from './command.ts';
import { formatTable } from './table.ts';

const emailArgument = { name: 'EMAIL', meaning: "the member's email" };

const add: StoreCommand = {
  name: 'member add',
  meaning: 'add a person to an account, and print a one-time link to set a password',
  arguments: [accountArgument],
  flags: [{ name: 'email', value: 'E', required: true, check: readEmail, meaning: "the person's email" }],
  examples: ['postern member add ann@example.com --email bob@example.com'],
  async run({ services, base_url }, input) {
    const account = findAccount(services.store, given(input, 'a'));
    const { user, invite_path } = await addMember(services, account, given(input, 'email'));
    return { ...viewUser(user), invite_url: base_url + invite_path };
  },
  show: (made: UserView & { invite_url: string }) =>
    `Added ${made.email}. They set a password with this link, which works once, within 7 days:\n  ${made.invite_url}`,
};

const list: StoreCommand = {
  name: 'member list',
  meaning: 'list the members of an account',
  arguments: [accountArgument],
  run: async ({ services }, input) =>
    listUsers(services.store, findAccount(services.store, given(input, 'a')).no).map(viewUser),
  show: (users: UserView[]) =>
    users.length === 0
      ? 'No members.'
      : formatTable(
          ['USER', 'EMAIL', 'ROLE'],
          users.map(({ user_id, email, role }) => [user_id, email, role]),
        ),
};

const remove: StoreCommand = {
  name: 'member remove',
  meaning: 'remove a person, and the keys that they created, from an account',
  arguments: [accountArgument, emailArgument],
  async run({ services }, input) {
    const account = findAccount(services.store, given(input, 'a'));
    return viewUser(await removeMember(services, account, given(input, 'email')));
  },
  show: (user: UserView) => `Removed ${user.email}.`,
};

const link: StoreCommand = {
  name: 'member link',
  meaning: 'print a one-time link to sign in with and choose a new password or a passkey',
  arguments: [accountArgument, emailArgument],
  examples: ['postern member link ann@example.com bob@example.com'],
  async run({ services, base_url }, input) {
    const account = findAccount(services.store, given(input, 'a'));
    const { id } = findMember(services.store, account.no, readEmail(given(input, 'email')));
    const { user, invite_path } = await renewInvite(services, account, id);
    return { ...viewUser(user), invite_url: base_url + invite_path };
  },
  show: (made: UserView & { invite_url: string }) =>
    `Sign-in link for ${made.email}. It works once, within 7 days; earlier links no longer work:\n  ${made.invite_url}`,
};

const password: StoreCommand = {
  name: 'member password',
  meaning: "set a person's password for the dashboard",
  arguments: [accountArgument, emailArgument],
  flags: [{ ...passwordFlag, required: true }],
  examples: ['postern member password ann@example.com ann@example.com --password-stdin < password.txt'],
  async run({ services }, input) {
    const account = findAccount(services.store, given(input, 'a'));
    const { email, password: text } = input;
    if (email === undefined || text === undefined) throw new UsageError('--password-stdin is missing');
    return viewUser(await setPassword(services, account, { email, password: text }));
  },
  show: (user: UserView) => `The password of ${user.email} was set.`,
};

const resetSecondFactor: StoreCommand = {
  name: 'member reset-second-factor',
  meaning:
    'remove the authenticator app, recovery codes and passkeys of a person who lost them, and end their sessions; the password stays',
  arguments: [accountArgument, emailArgument],
  async run({ services }, input) {
    const { no } = findAccount(services.store, given(input, 'a'));
    const email = readEmail(given(input, 'email'));
    const { passkeys, ...user } = await services.store.write(resetTotpOp, { account_no: no, email });
    return {
      ...viewUser(user),
      passkeys_removed: passkeys,
      can_sign_in: canSignIn(services.store, user.no, findSignInOptions(services)),
    };
  },
  show({
    email,
    passkeys_removed,
    can_sign_in,
  }: UserView & { passkeys_removed: number; can_sign_in: boolean }) {
    const removed = passkeys_removed > 0 ? ` Passkeys removed: ${passkeys_removed}.` : '';
    return can_sign_in
      ? `${email} signs in without a second factor until they add one again.${removed}`
      : `${email} can't sign in now: give them a link (postern member link).${removed}`;
  },
};

export const memberCommands: readonly StoreCommand[] = [add, list, remove, link, password, resetSecondFactor];
