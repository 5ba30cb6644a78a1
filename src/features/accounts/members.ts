import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { MemberRole } from '../../rules/plans.ts';
import type { Account } from './account.ts';
import { readEmail } from './email.ts';
import { hashPassword, requirePasswords } from './password.ts';
import { renewInviteOp } from './sessions/writes.ts';
import type { User } from './sql.ts';
import { addMemberOp, changeRoleOp, removeMemberOp, setPasswordOp } from './writes.ts';

const TOKEN_BYTES = 32;

type Parts = Pick<PlatformServices, 'store'>;

/**
 * Adds a member. Returns the member, and the path of a one-time link that sets their password and is valid for 7 days.
 */
export async function addMember(
  services: Parts,
  account: Account,
  email: string,
): Promise<{ user: User; invite_path: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const user = await services.store.write(addMemberOp, {
    account_no: account.no,
    email: readEmail(email),
    token_hash: hashSecret(token),
  });
  return { user, invite_path: `/invite/${token}` };
}

/** Creates another one-time link for a member who lost theirs, or their password. Earlier links stop working. */
export async function renewInvite(
  services: Parts,
  account: Account,
  userId: string,
): Promise<{ user: User; invite_path: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const user = await services.store.write(renewInviteOp, {
    account_no: account.no,
    user_id: userId,
    token_hash: hashSecret(token),
  });
  return { user, invite_path: `/invite/${token}` };
}

export function removeMember(services: Parts, account: Account, email: string): Promise<User> {
  return services.store.write(removeMemberOp, { account_no: account.no, email: readEmail(email) });
}

/** Changes the role of a member and of the keys they created. */
export function changeRole(
  services: Parts,
  account: Account,
  email: string,
  role: MemberRole,
): Promise<User> {
  return services.store.write(changeRoleOp, { account_no: account.no, email, role });
}

export async function setPassword(
  services: Pick<PlatformServices, 'store' | 'settings'>,
  account: Account,
  member: { email: string; password: string },
): Promise<User> {
  requirePasswords(services);
  const email = readEmail(member.email);
  const passwordHash = await hashPassword(member.password, { email, name: account.name });
  return services.store.write(setPasswordOp, { account_no: account.no, email, password_hash: passwordHash });
}
