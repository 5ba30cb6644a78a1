import type { DeliveryDetail } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, isOwner } from '../api.ts';
import { attempt } from '../data.ts';
import { fullTime } from '../format.ts';
import { ShortTime } from '../parts.tsx';
import { showToast } from '../toast.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { Answer } from './webhook-test.tsx';

const colours = { pending: 'tag-warn', delivered: 'tag-accent', failed: 'tag-danger' } as const;

interface DeliveryRowProps {
  /** Of the webhook. */
  path: string;
  of: DeliveryDetail;
  reload: () => Promise<void>;
}

/** Queues an event for the webhook at `path` again. */
export async function sendAgain(
  path: string,
  eventId: string,
  reload: () => Promise<unknown>,
): Promise<void> {
  if (!(await attempt(() => call('POST', `${path}/replay`, { event_id: eventId })))) return;
  showToast(words.account.deliveries.queued);
  await reload();
}

/** A delivery; expanded, it shows each attempt. */
export function DeliveryRow({ path, of: delivery, reload }: DeliveryRowProps) {
  const { event_id, status, attempts, next_attempt_at, created_at, answer } = delivery;
  const t = words.account.deliveries;
  return (
    <li>
      <details class="group">
        <summary class="flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-hover">
          <span class={`tag ${colours[status]}`}>{t.states[status]}</span>
          <span class="min-w-0 flex-1 truncate font-mono text-sm">{event_id}</span>
          <span class="text-sm text-soft">{t.attempts(attempts.length)}</span>
          <ShortTime at={created_at} />
        </summary>
        <div class="border-t border-line px-4 py-3">
          {attempts.length > 0 && (
            <ol class="space-y-1 text-sm">
              {attempts.map(({ at, response_status, error, duration_ms }) => (
                <li key={at} class="flex flex-wrap gap-x-3">
                  <span class="text-soft tabular-nums">{fullTime(at)}</span>
                  <span class="font-medium">{response_status ?? error}</span>
                  <span class="text-soft">{words.account.test.milliseconds(number(duration_ms))}</span>
                </li>
              ))}
            </ol>
          )}
          {answer !== null && (
            <div class="mt-3">
              <p class="text-sm text-soft">{t.response}</p>
              <Answer text={answer} />
            </div>
          )}
          <div class="mt-3 flex flex-wrap items-center gap-3">
            {isOwner.value && (
              <ActionButton onRun={() => sendAgain(path, event_id, reload)}>
                {status === 'delivered' ? t.resend : t.retry}
              </ActionButton>
            )}
            {next_attempt_at !== null && (
              <span class="text-sm text-soft">
                {new Date(next_attempt_at) <= new Date() ? t.nextNow : t.next(fullTime(next_attempt_at))}
              </span>
            )}
          </div>
        </div>
      </details>
    </li>
  );
}
