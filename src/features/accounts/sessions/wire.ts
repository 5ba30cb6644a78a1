/** One-time links on the wire. */
import type { MemberRole } from '../../../rules/plans.ts';

export interface InviteState {
  email: string;
  /** Whether a passkey can be chosen instead of a password. */
  may_use_passkey: boolean;
  /** Whether it can be accepted with OpenID Connect. */
  may_use_single_sign_on: boolean;
  role: MemberRole;
  account: string;
  can_join: boolean;
  is_returning: boolean;
}

export interface SetUpState {
  email: string | null;
}
