import { useEffect, useState } from 'preact/hooks';
import type { DryRunMatchView, RuleView } from '../../features/mail-rules/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call } from '../api.ts';
import { attempt } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { shortTime } from '../format.ts';
import { Skeleton } from '../parts.tsx';
import { describeAction } from '../rule-words.ts';
import { words } from '../words/words.ts';

interface DryRunPage extends PageView<DryRunMatchView> {
  scanned: number;
}

/** The results of the pages loaded so far. */
interface Found {
  matches: DryRunMatchView[];
  scanned: number;
  cursor: string | null;
}

interface RuleDryRunProps {
  /** Null for all that are on. */
  rule: RuleView | null;
  onClose: () => void;
}

/** What rules would do with stored mail, from the newest on. */
export function RuleDryRun({ rule, onClose }: RuleDryRunProps) {
  const t = words.rules.dryRun;
  const [found, setFound] = useState<Found | null>(null);
  const look = async (before: Found | null) => {
    const body = { ...(rule && { rule_id: rule.id }), cursor: before?.cursor ?? null };
    const isDone = await attempt(async () => {
      const { data, scanned, pagination } = await call<DryRunPage>('POST', 'rules/dry_run', body);
      setFound({
        matches: [...(before?.matches ?? []), ...data],
        scanned: (before?.scanned ?? 0) + scanned,
        cursor: pagination.next_cursor,
      });
    });
    if (!isDone && !before) onClose();
  };
  useEffect(() => void look(null), []);
  return (
    <Dialog title={t.title} onClose={onClose} wide>
      <p class="mb-3 text-soft">{t.about}</p>
      {found ? (
        <>
          <p class="mb-3 text-sm" role="status">
            {t.scanned(found.scanned)}
          </p>
          {found.matches.length === 0 ? (
            <p class="font-medium">{t.none}</p>
          ) : (
            <ul class="card divide-y divide-line">
              {found.matches.map((match) => (
                <MatchRow key={match.message_id} of={match} />
              ))}
            </ul>
          )}
          {found.cursor !== null && (
            <ActionButton class="button mt-3" onRun={() => look(found)}>
              {t.older}
            </ActionButton>
          )}
        </>
      ) : (
        <Skeleton rows={3} />
      )}
    </Dialog>
  );
}

function MatchRow({ of: { from, subject, received_at, actions } }: { of: DryRunMatchView }) {
  const t = words.rules.dryRun;
  return (
    <li class="px-4 py-2.5 text-sm">
      <div class="flex items-baseline justify-between gap-3">
        <p class="min-w-0 wrap-anywhere font-medium">{subject || from}</p>
        <time class="flex-none text-faint" dateTime={received_at}>
          {shortTime(received_at)}
        </time>
      </div>
      <p class="wrap-anywhere text-soft">{from}</p>
      <ul class="mt-1 grid gap-0.5">
        {actions.map(({ action, detail, refused }, index) => (
          <li key={index} class={`wrap-anywhere ${refused === null ? '' : 'text-danger'}`}>
            {describeAction(action, detail)}
            {refused !== null && ` (${t.refused(refused)})`}
          </li>
        ))}
      </ul>
    </li>
  );
}
