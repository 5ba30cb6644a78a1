import type { DoorState } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { useSubmit } from '../data.ts';
import { canUsePasskeys, usePasskey } from '../passkey.ts';
import { PlaceNote } from '../passkey-place.tsx';
import { Fault } from '../rows.tsx';
import { words } from '../words/words.ts';
import { enter } from './frame.tsx';

/** Signs in without an email: the passkey says who it is. */
export function PasskeySignIn({ door: { passkeys, passwords } }: { door: DoorState }) {
  const { isBusy, fault, onSubmit } = useSubmit(async () => {
    await call('POST', 'passkeys/sign-in', await usePasskey('passkeys/sign-in/begin'));
    enter();
  });
  if (!canUsePasskeys(passkeys)) {
    // Where there is a password to enter, nobody misses a passkey.
    return passwords ? null : (
      <p class="mt-4 text-sm text-soft">
        <PlaceNote of={passkeys} />
      </p>
    );
  }
  return (
    <form class="mt-3 space-y-3" onSubmit={onSubmit}>
      <button type="submit" class={`button w-full ${passwords ? '' : 'button-main'}`} disabled={isBusy}>
        {words.passkeys.signIn}
      </button>
      <Fault>{fault}</Fault>
    </form>
  );
}
