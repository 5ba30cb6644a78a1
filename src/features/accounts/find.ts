import { fail } from '../../platform/core/failure.ts';
import { isId } from '../../platform/core/id.ts';
import type { Reading } from '../../platform/store/operation.ts';
import type { Account } from './account.ts';
import { findAccountById, findUserByEmail, listAccountsOwnedBy, type User } from './sql.ts';

/** Finds the account that the operator names: by its id, or by its owner's email if that owns exactly one account. */
export function findAccount(reading: Reading, name: string): Account {
  if (!name.includes('@')) {
    const account = isId('account', name) ? findAccountById(reading, name) : null;
    return (
      account ?? fail('not_found', { text: `There is no account ${name}. postern account list shows all.` })
    );
  }
  const [account, ...others] = listAccountsOwnedBy(reading, name.trim().toLowerCase());
  if (!account) fail('not_found', { text: `Nobody with the email ${name} owns an account.` });
  if (others.length > 0) {
    const ids = [account, ...others].map(({ id }) => id).join(', ');
    fail('conflict', { text: `${name} owns several accounts. Use the id of one: ${ids}.` });
  }
  return account;
}

/** Returns the member of an account with this email. Throws not_found if there is none. */
export function findMember(reading: Reading, accountNo: number, email: string): User {
  return (
    findUserByEmail(reading, accountNo, email) ??
    fail('not_found', { text: `${email} is not a member of this account.` })
  );
}
