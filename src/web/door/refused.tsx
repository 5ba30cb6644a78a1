import type { Membership } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { attempt, useData } from '../data.ts';
import type { PlaceProps } from '../places.ts';
import { DoorFrame, enter } from './frame.tsx';

/** Who is known and may not look: the account is suspended, or the page is another's. They can leave, or go elsewhere. */
export default function Refused({ rest: [reason] }: PlaceProps) {
  const { data: accounts } = useData<Membership[]>('accounts');
  const own = accounts?.find(({ is_this }) => is_this);
  const post = async (path: string, body?: unknown) => {
    if (await attempt(() => call('POST', path, body))) enter();
  };
  return (
    <DoorFrame
      title={own ? `This account is ${own.status}` : 'Not here'}
      about={own ? `${own.name} can not be used now. The server’s operator knows why.` : reason}
    >
      {accounts && (
        <div class="mt-5 space-y-2">
          {accounts
            .filter(({ is_this }) => !is_this)
            .map(({ account_id, name }) => (
              <button
                key={account_id}
                type="button"
                class="button w-full"
                onClick={() => void post('accounts/switch', { account_id })}
              >
                Go to {name}
              </button>
            ))}
          <button type="button" class="button w-full" onClick={() => void post('sign-out')}>
            Sign out
          </button>
        </div>
      )}
    </DoorFrame>
  );
}
