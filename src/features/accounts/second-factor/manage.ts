/** Setting up, renewing and removing a person's second factor. Each needs the current password. */
import { failField } from '../../../platform/core/failure.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import { type Guarded, requirePassword } from '../sessions/sign-in.ts';
import type { OpenedMember, Session } from '../sessions/sql.ts';
import { createRecoveryCodes, findStep, normalizeRecoveryCode, readSecret, sealTotpSecret } from './totp.ts';
import { removeTotpOp, renewRecoveryCodesOp, setTotpOp } from './writes.ts';

/** The signed-in person, and the client's address as limits count it. */
export interface Person {
  session: Session;
  address: string;
}

/** Adds or replaces the authenticator app. Returns the recovery codes, which are shown once. */
export async function setSecondFactor(
  services: Guarded,
  { session, address }: Person,
  input: { current_password: string; secret: string; code: string },
): Promise<string[]> {
  const secret = readSecret(input.secret);
  const opened = await requirePassword(services, session, input.current_password, address);
  const step = findStep(secret, input.code, services.clock.nowUs());
  if (step === null) failField('code', 'is not the code that the app shows now');
  const codes = createRecoveryCodes();
  await services.store.write(setTotpOp, {
    ...nameMembers(session, opened),
    secret: sealTotpSecret(services.key, session.user.email, secret),
    step: step!,
    recoveryHashes: codes.map(hashCode),
  });
  return codes;
}

/** Replaces the recovery codes. Returns the new ones, which are shown once. */
export async function renewRecoveryCodes(
  services: Guarded,
  { session, address }: Person,
  password: string,
): Promise<string[]> {
  const opened = await requirePassword(services, session, password, address);
  const codes = createRecoveryCodes();
  const hashes = codes.map(hashCode);
  const members = nameMembers(session, opened);
  await services.store.write(renewRecoveryCodesOp, { ...members, recoveryHashes: hashes });
  return codes;
}

export async function removeSecondFactor(
  services: Guarded,
  { session, address }: Person,
  password: string,
): Promise<void> {
  const opened = await requirePassword(services, session, password, address);
  await services.store.write(removeTotpOp, nameMembers(session, opened));
}

/** Limits a write to the members of the session whose password was right. */
const nameMembers = ({ no }: Session, opened: readonly OpenedMember[]) => ({
  session_no: no,
  userNos: opened.map((member) => member.no),
});

const hashCode = (code: string) => hashSecret(normalizeRecoveryCode(code)!);
