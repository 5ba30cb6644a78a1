import type { WayToProvider } from '../../features/accounts/oidc/wire.ts';
import { send } from '../api.ts';
import { useSubmit } from '../data.ts';
import { goToProvider } from '../provider.ts';
import { Fault } from '../rows.tsx';
import { words } from '../words/words.ts';

/** Accepts an invitation with OpenID Connect instead of a password. */
export function SingleSignOnByLink({ token }: { token: string }) {
  const { isBusy, fault, onSubmit } = useSubmit(async () => {
    goToProvider(await send<WayToProvider>('POST', 'invite/single-sign-on', { token }));
  });
  return (
    <form class="mt-3 space-y-3" onSubmit={onSubmit}>
      <button type="submit" class="button w-full" disabled={isBusy}>
        {words.door.continueWithSingleSignOn}
      </button>
      <Fault>{fault}</Fault>
    </form>
  );
}
