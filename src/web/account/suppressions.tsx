import type { SuppressionView } from '../../features/outbound/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, isOwner, me } from '../api.ts';
import { attempt } from '../data.ts';
import { shortTime } from '../format.ts';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { EmptyCard, Part, Row, Rows } from '../rows.tsx';
import { words } from '../words/words.ts';

/** Addresses that get no email for a while, because their servers said that they do not exist. */
export function Suppressions() {
  const t = words.account.suppressions;
  const list = usePages<SuppressionView>('suppressions');
  const remove = async (email: string) => {
    if (await attempt(() => call('DELETE', `suppressions/${encodeURIComponent(email)}`))) await list.reload();
  };
  return (
    <Part title={t.title} about={t.about(me.value!.bounds.suppression_days)}>
      <LoadedRows of={list}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyCard icon="check" title={t.empty} />
          ) : (
            <Rows label={t.title}>
              {rows.map(({ email, reason, created_at, expires_at }) => (
                <Row
                  key={email}
                  actions={
                    isOwner.value && (
                      <ActionButton aria-label={words.frame.removeOne(email)} onRun={() => remove(email)}>
                        {words.frame.remove}
                      </ActionButton>
                    )
                  }
                >
                  <p class="font-medium break-all">{email}</p>
                  <p class="mt-0.5 text-sm break-words text-soft">
                    {t.since(reason, shortTime(created_at), shortTime(expires_at))}
                  </p>
                </Row>
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={list} />
    </Part>
  );
}
