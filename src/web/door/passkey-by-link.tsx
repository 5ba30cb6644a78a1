import type { DoorState } from '../../doors/dashboard/wire.ts';
import { browserName } from '../account/browser-name.ts';
import { call } from '../api.ts';
import { home } from '../base.ts';
import { useSubmit } from '../data.ts';
import { canUsePasskeys, createPasskey } from '../passkey.ts';
import { Fault } from '../rows.tsx';
import { loadWords, words } from '../words/words.ts';

interface Props {
  door: DoorState;
  path: 'invite' | 'setup';
  token: string;
  /** Null if the link identifies the person. */
  email: string | null;
}

/** Creates a passkey instead of a password. */
export function PasskeyByLink({ door: { passkeys, passwords, oidc }, path, token, email }: Props) {
  const t = words.passkeys;
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    const whose = { token, ...(email !== null && { email }) };
    const made = await createPasskey(`${path}/passkey/begin`, whose);
    // The names of browsers are texts of the account's pages.
    await loadWords(['account']);
    const name = browserName(navigator.userAgent);
    await call('POST', `${path}/passkey`, {
      ...whose,
      ...made,
      ...(path === 'setup' ? { passkey_name: name } : { name }),
    });
    // Replace, so that Back does not return to a used link.
    location.replace(home);
  });
  if (!canUsePasskeys(passkeys)) return null;
  return (
    <form class="mt-5 space-y-2 border-t border-line pt-4" onSubmit={onSubmit}>
      <Fault>{fault ?? findFault('email') ?? findFault('passkey')}</Fault>
      <button type="submit" class={`button w-full ${passwords ? '' : 'button-main'}`} disabled={isBusy}>
        {passwords ? t.createInstead : t.create}
      </button>
      <p class="text-xs text-soft">
        {t.createAbout} {!passwords && !oidc && t.elseLink}
      </p>
    </form>
  );
}
