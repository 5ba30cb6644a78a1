import type { SuppressionView } from '../../features/outbound/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { shortTime } from '../format.ts';
import { Empty } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';

/** Addresses that get no email for a while, because their servers said that they do not exist. */
export function Suppressions() {
  const list = useData<SuppressionView[]>('suppressions');
  const remove = async (email: string) => {
    if (await attempt(() => call('DELETE', `suppressions/${encodeURIComponent(email)}`))) await list.reload();
  };
  return (
    <Part
      title="Suppressions"
      about={`Addresses that do not exist, according to their servers. They get no email for ${me.value?.bounds.suppression_days} days unless you remove them.`}
    >
      <Loaded of={list} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <div class="card">
              <Empty icon="check" title="No suppressed addresses" />
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
                        aria-label={`Remove ${email}`}
                        onClick={() => void remove(email)}
                      >
                        Remove
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
