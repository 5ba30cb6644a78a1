import type { MessageDiaryEntryView } from '../../features/mail-rules/wire.ts';
import { useData } from '../data.ts';
import { fullTime } from '../format.ts';
import { describeAction, nameOfRule } from '../rule-words.ts';
import { words } from '../words/words.ts';

const marks = { done: 'tag-accent', pending: '', failed: 'tag-danger', refused: 'tag-danger' } as const;
/** Time between two reloads while an errand waits. */
const RELOAD_MS = 5_000;

/** Lists what rules did with a message. Renders nothing if no rule matched. */
export function RulesDiary({ id }: { id: string }) {
  const t = words.rules.diary;
  const { data = [] } = useData<MessageDiaryEntryView[]>(`messages/${id}/diary`, RELOAD_MS);
  if (data.length === 0) return null;
  return (
    <section class="card px-4 py-3" aria-label={t.title}>
      <h3 class="mb-2 text-sm font-semibold">{t.title}</h3>
      <ul class="grid gap-1.5">
        {data.map((entry, index) => (
          <li key={index} class="flex flex-wrap items-baseline gap-x-3 text-sm">
            <span class={`tag ${marks[entry.status]}`}>{t[entry.status]}</span>
            <span class="wrap-anywhere">{describeAction(entry.action, entry.detail)}</span>
            <span class="wrap-anywhere text-faint">{nameOfRule({ name: entry.rule_name })}</span>
            <time class="text-faint" dateTime={entry.at}>
              {fullTime(entry.at)}
            </time>
            {(entry.reason || entry.next_attempt_at) && (
              <span class="w-full wrap-anywhere text-soft">{explain(entry)}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The reason is the server's, in English. */
function explain({ reason, attempts, next_attempt_at }: MessageDiaryEntryView): string {
  const next = next_attempt_at !== null && attempts > 0 && words.rules.diary.next(fullTime(next_attempt_at));
  return [reason, next].filter(Boolean).join(' · ');
}
