/** Every write that signs in with a passkey, or with a link that sets one instead of a password. */
import { fail } from '../../../../platform/core/failure.ts';
import { type AnyWriteOp, auditedOp, onFullDisk } from '../../../../platform/store/operation.ts';
import { recordAudit } from '../../../audit/writes.ts';
import { findTotp } from '../../second-factor/sql.ts';
import { requireInvite } from '../../sessions/invite.ts';
import { findPerson, recordSignIn } from '../../sessions/sign-in-record.ts';
import { canAnyOperatorSignIn, findOperatorsOwner, readPasswordHash } from '../../sessions/sql.ts';
import { type FirstAccount, insertOwner, insertSession, type NewSession } from '../../sessions/writes.ts';
import { storePassword } from '../../writes.ts';
import { isCredentialKnown, type SignInOptions } from '../sql.ts';
import {
  insertPasskey,
  type NewPasskey,
  type UsedChallenge,
  type UsedPasskey,
  useChallenge,
  usePasskey,
} from '../writes.ts';

/** Signs in to every account that has this passkey. */
export const signInByPasskeyOp = auditedOp(
  'passkeys.sign_in',
  (tx, { session, used }: { session: NewSession; used: UsedPasskey }): void => {
    const userNos = usePasskey(tx, used);
    insertSession(tx, session, userNos);
    recordSignIn(tx, userNos, 'passkey');
  },
);

interface ByLink {
  passkey: NewPasskey;
  challenge: UsedChallenge;
  session: NewSession;
}

/** Signs in and removes the password, as a link that sets a password replaces it. Never bypasses a second factor. */
export const acceptInviteByPasskeyOp = auditedOp(
  'passkeys.accept_invite',
  (tx, input: ByLink & { inviteHash: Uint8Array; hasPasswords: boolean }): void => {
    const { user } = requireInvite(tx, input.inviteHash, tx.nowUs);
    if (input.hasPasswords && findTotp(tx, user.no)) fail('conflict', { text: HAS_FACTOR });
    useChallenge(tx, input.challenge);
    if (isCredentialKnown(tx, input.passkey.credential_id)) fail('conflict', { text: KNOWN });
    if (input.hasPasswords) {
      const had = readPasswordHash(tx, user.no) !== null;
      storePassword(tx, user.no, null);
      if (had) recordAudit(tx, { action: 'password.changed', ...findPerson(tx, user.no), details: REMOVED });
    } else tx.sql('DELETE FROM invite WHERE user_no = ?').run(user.no);
    insertPasskey(tx, user.no, input.passkey);
    insertSession(tx, input.session, [user.no]);
    recordSignIn(tx, [user.no], 'link');
  },
);

const REMOVED = { password: 'removed, with its sessions' };
const KNOWN = 'This passkey is registered already. Sign in with it.';
const HAS_FACTOR =
  'This member has a second factor. Choose a password by the link, sign in with the code, and then add a passkey.';

/** The operator's first sign-in, with a passkey; setUpOp is the same with a password. */
export const setUpByPasskeyOp = auditedOp(
  'passkeys.set_up',
  (tx, input: ByLink & { account: FirstAccount; signInOptions: SignInOptions }): void => {
    if (canAnyOperatorSignIn(tx, input.signInOptions))
      fail('conflict', { text: 'Postern is already set up. Sign in instead.' });
    useChallenge(tx, input.challenge);
    const owner = findOperatorsOwner(tx) ?? insertOwner(tx, input.account);
    if (isCredentialKnown(tx, input.passkey.credential_id)) fail('conflict', { text: KNOWN });
    insertPasskey(tx, owner.no, input.passkey);
    insertSession(tx, input.session, [owner.no]);
    recordSignIn(tx, [owner.no], 'setup_link');
  },
);

/** For src/app/writes.ts. */
export const passkeySignInWrites: readonly AnyWriteOp[] = [
  onFullDisk(signInByPasskeyOp),
  acceptInviteByPasskeyOp,
  setUpByPasskeyOp,
];
