import type { MembershipView } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call } from '../api.ts';
import { attempt, useData } from '../data.ts';
import type { PlaceProps } from '../router.tsx';
import { words } from '../words/words.ts';
import { DoorFrame, enter } from './frame.tsx';

/** For signed-in visitors without access: they can sign out or switch to another account. */
export default function Refused({ rest: [reason] }: PlaceProps) {
  const { data: accounts } = useData<MembershipView[]>('accounts');
  const own = accounts?.find(({ is_this }) => is_this);
  const post = async (path: string, body?: unknown) => {
    if (await attempt(() => call('POST', path, body))) enter();
  };
  const t = words.door;
  return (
    <DoorFrame
      title={own ? t.accountIs[own.status] : t.noAccess}
      about={own ? t.notUsable(own.name) : reason}
    >
      {accounts && (
        <div class="mt-5 space-y-2">
          {accounts
            .filter(({ is_this }) => !is_this)
            .map(({ account_id, name }) => (
              <ActionButton
                key={account_id}
                class="button w-full"
                onRun={() => post('accounts/switch', { account_id })}
              >
                {t.switchTo(name)}
              </ActionButton>
            ))}
          <ActionButton class="button w-full" onRun={() => post('sign-out')}>
            {t.signOut}
          </ActionButton>
        </div>
      )}
    </DoorFrame>
  );
}
