import type { EmailView } from '../../features/outbound/wire.ts';
import { fullTime } from '../format.ts';
import { ShortTime } from '../parts.tsx';
import { words } from '../words/words.ts';

const colours: Record<EmailView['status'], string> = {
  held: 'tag-warn',
  queued: 'tag-warn',
  sending: 'tag-warn',
  sent: 'tag-accent',
  failed: 'tag-danger',
  rejected: 'tag-danger',
  bounced: 'tag-danger',
};

/** An email; expanded, it shows each recipient and the response of their server. */
export function EmailRow({ of: email }: { of: EmailView }) {
  const { from_address, subject, status, recipients, attempts, last_error, kind, created_at, sent_at } =
    email;
  const t = words.account.emails;
  const [first, ...others] = recipients;
  return (
    <li>
      <details>
        <summary class="flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-hover">
          <span class={`tag ${colours[status]}`}>{t.states[status]}</span>
          <span class="min-w-0 flex-1 basis-48 truncate font-medium" title={subject}>
            {subject || words.list.noSubject}
          </span>
          <span class="min-w-0 max-w-full truncate text-sm text-soft">
            {others.length > 0 ? t.toMany(first!.email, others.length) : t.to(first?.email ?? '')}
          </span>
          <ShortTime at={created_at} />
        </summary>
        <div class="space-y-3 border-t border-line px-4 py-3 text-sm">
          <p class="break-words text-soft">
            {[
              t.kinds[kind](from_address),
              t.attempts(attempts),
              ...(sent_at ? [t.sentAt(fullTime(sent_at))] : []),
            ].join(' · ')}
          </p>
          {/* The reason of one recipient is shown beside them. */}
          {last_error && !recipients.some(({ response }) => response === last_error) && (
            <p class="break-words text-danger">{last_error}</p>
          )}
          <ul class="space-y-2">
            {recipients.map((recipient) => (
              <li key={recipient.email}>
                <p class="flex flex-wrap items-center gap-2">
                  <span class={`tag ${colours[recipient.status]}`}>{t.states[recipient.status]}</span>
                  <span class="min-w-0 break-all">{recipient.email}</span>
                </p>
                {recipient.response && (
                  <p class="mt-0.5 font-mono text-xs break-words text-soft">{recipient.response}</p>
                )}
              </li>
            ))}
          </ul>
        </div>
      </details>
    </li>
  );
}
