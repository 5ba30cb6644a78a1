import type { Suppression } from '../../doors/dashboard/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { shortTime } from '../format.ts';
import { Empty } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';

/** Addresses that nothing is sent to for a while, because their servers said that they are not there. */
export function Suppressions() {
  const list = useData<Suppression[]>('suppressions');
  const remove = async (email: string) => {
    if (await attempt(() => call('DELETE', `suppressions/${encodeURIComponent(email)}`))) await list.reload();
  };
  return (
    <Part
      title="Suppressions"
      about="Addresses whose server said for good that they are not there. Nothing is sent to them for 30 days, unless you take them off."
    >
      <Loaded of={list} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <div class="card">
              <Empty icon="check" title="Nobody is suppressed" />
            </div>
          ) : (
            <Rows label="Suppressions">
              {rows.map(({ email, reason, created_at, expires_at }) => (
                <Row
                  key={email}
                  actions={
                    me.value?.role === 'owner' && (
                      <button
                        type="button"
                        class="button"
                        aria-label={`Take ${email} off`}
                        onClick={() => void remove(email)}
                      >
                        Take off
                      </button>
                    )
                  }
                >
                  <p class="font-medium break-all">{email}</p>
                  <p class="mt-0.5 text-sm break-words text-soft">
                    {reason}, since {shortTime(created_at)}, until {shortTime(expires_at)}
                  </p>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Part>
  );
}
