import { useEffect, useRef, useState } from 'preact/hooks';
import type { DoorState } from '../../doors/dashboard/wire.ts';
import { ApiFailure, call } from '../api.ts';
import { useSubmit } from '../data.ts';
import { canUsePasskeys, offerPasskeys, type PasskeyAnswer, usePasskey } from '../passkey.ts';
import { PlaceNote } from '../passkey-place.tsx';
import { Fault } from '../rows.tsx';
import { words } from '../words/words.ts';
import { enter } from './frame.tsx';

const BEGIN = 'passkeys/sign-in/begin';

/** Signs in without an email: the passkey says who it is. */
export function PasskeySignIn({ door: { passkeys, passwords } }: { door: DoorState }) {
  const isHere = canUsePasskeys(passkeys);
  const offer = useOffer(isHere && passwords);
  const { isBusy, fault, onSubmit } = useSubmit(async () => {
    // A browser asks for one passkey at a time.
    offer.stop();
    await finish(await usePasskey(BEGIN));
  });
  if (!isHere) {
    // If there is a password to enter, this says nothing.
    return passwords ? null : (
      <p class="mt-4 text-sm text-soft">
        <PlaceNote of={passkeys} />
      </p>
    );
  }
  return (
    <form class={`${passwords ? 'mt-3' : 'mt-5'} space-y-3`} onSubmit={onSubmit}>
      <button type="submit" class={`button w-full ${passwords ? '' : 'button-main'}`} disabled={isBusy}>
        {words.passkeys.signIn}
      </button>
      <Fault>{fault ?? offer.fault}</Fault>
    </form>
  );
}

async function finish(answer: PasskeyAnswer): Promise<void> {
  await call('POST', 'passkeys/sign-in', answer);
  enter();
}

/** Where there is a field for the email, the browser offers passkeys in it. */
function useOffer(isOn: boolean): { fault: string | undefined; stop: () => void } {
  const [fault, setFault] = useState<string | undefined>(undefined);
  const stop = useRef(() => {});
  useEffect(() => {
    if (!isOn) return;
    const offered = offerPasskeys(BEGIN, (answer) => {
      finish(answer).catch((thrown) => setFault(thrown instanceof ApiFailure ? thrown.message : undefined));
    });
    stop.current = offered.stop;
    return offered.stop;
  }, [isOn]);
  return { fault, stop: () => stop.current() };
}
