import type { AuditEntryView } from '../features/audit/wire.ts';
import { browserName } from './account/browser-name.ts';
import { LoadedRows, LoadMore, usePages } from './pages.tsx';
import { ShortTime } from './parts.tsx';
import { EmptyCard, Rows } from './rows.tsx';
import { words } from './words/words.ts';

/** Who did what, newest first. */
export function AuditLog({ path, showsAccount = false }: { path: string; showsAccount?: boolean }) {
  const t = words.audit;
  const pages = usePages<AuditEntryView>(path);
  return (
    <>
      <LoadedRows of={pages}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyCard icon="check" title={t.empty} />
          ) : (
            <Rows label={words.frame.places.audit}>
              {entries.map((entry) => (
                <Entry key={entry.id} of={entry} showsAccount={showsAccount} />
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={pages} />
    </>
  );
}

/** Shown when someone looks for an intruder. */
const alarming: readonly AuditEntryView['action'][] = ['sign_in.failed'];

function Entry({ of: entry, showsAccount }: { of: AuditEntryView; showsAccount: boolean }) {
  const { action, actor, target, at, ip, user_agent, details, account_id } = entry;
  const t = words.audit;
  const who = actor.name ?? t.actors[actor.kind];
  const facts = Object.entries(details).filter(([, value]) => value !== '');
  return (
    <li class="px-4 py-3">
      <div class="flex items-baseline gap-x-2">
        <div class="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 gap-y-1">
          <span class={alarming.includes(action) ? 'font-medium text-danger' : 'font-medium'}>
            {t.actions[action]}
          </span>
          {target !== null && target !== actor.name && <span class="min-w-0 wrap-anywhere">{target}</span>}
        </div>
        <ShortTime at={at} class="flex-none" />
      </div>
      <p class="mt-1 text-sm break-words text-soft">
        {[who, ip, user_agent && browserName(user_agent)].filter(Boolean).join(' · ')}
      </p>
      {(facts.length > 0 || showsAccount) && (
        <p class="mt-1 font-mono text-xs wrap-anywhere text-soft">
          {[
            ...facts.map(([name, value]) => `${name}: ${value}`),
            ...(showsAccount && account_id ? [account_id] : []),
          ].join(' · ')}
        </p>
      )}
    </li>
  );
}
