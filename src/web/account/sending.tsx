import { useCallback, useEffect, useState } from 'preact/hooks';
import type { SendingState } from '../../doors/dashboard/wire.ts';
import type { EmailView } from '../../features/outbound/wire.ts';
import type { PageView } from '../../platform/http/wire.ts';
import { call, query } from '../api.ts';
import { attempt, useData } from '../data.ts';
import { Empty, PageBody, Skeleton } from '../parts.tsx';
import { plansThatHave } from '../plans.ts';
import { Facts, Loaded, Part, Rows } from '../rows.tsx';
import { Allowlist } from './allowlist.tsx';
import { EmailRow } from './email.tsx';
import { Suppressions } from './suppressions.tsx';

export default function SendingPage() {
  const sending = useData<SendingState>('sending');
  return (
    <PageBody title="Sending" about="Sent email, its delivery status, and who you can send to.">
      <Loaded of={sending}>
        {(data) => {
          const reason = whyNot(data);
          return (
            <>
              {reason && (
                <div class="card mb-8">
                  <Empty icon="send" title="Sending is not available">
                    {reason}
                  </Empty>
                </div>
              )}
              {data.is_on && <Log />}
              {!reason && (
                <>
                  <Quota of={data.recipients} />
                  <Allowlist is_on={data.allowlist_on} reload={sending.reload} />
                </>
              )}
              {data.is_on && <Suppressions />}
            </>
          );
        }}
      </Loaded>
    </PageBody>
  );
}

function whyNot({ is_on, is_in_plan, is_allowed }: SendingState): string | null {
  if (!is_on) return 'Sending is off. Set POSTERN_OUTBOUND to turn it on.';
  if (!is_in_plan) return plansThatHave('outbound');
  if (!is_allowed) return 'The server’s operator has turned off sending for this account.';
  return null;
}

function Quota({ of: { hour, hour_max, day, day_max } }: { of: SendingState['recipients'] }) {
  return (
    <Part title="Recipient limits">
      <Facts
        of={[
          ['Per hour', `${hour.toLocaleString()} of ${hour_max.toLocaleString()}`],
          ['Per day', `${day.toLocaleString()} of ${day_max.toLocaleString()}`],
        ]}
      />
    </Part>
  );
}

function Log() {
  const [emails, setEmails] = useState<EmailView[] | undefined>(undefined);
  const [cursor, setCursor] = useState<string | null>(null);
  const load = useCallback(async (after: string | null) => {
    const page = await call<PageView<EmailView>>('GET', `emails${query({ cursor: after })}`);
    setEmails((before) => [...(after === null ? [] : (before ?? [])), ...page.data]);
    setCursor(page.pagination.next_cursor);
  }, []);
  useEffect(() => void attempt(() => load(null)), [load]);
  return (
    <Part
      title="Emails"
      actions={
        <button type="button" class="button" onClick={() => void attempt(() => load(null))}>
          Refresh
        </button>
      }
    >
      {!emails ? (
        <div class="card">
          <Skeleton rows={3} />
        </div>
      ) : emails.length === 0 ? (
        <div class="card">
          <Empty icon="send" title="No emails yet">
            Set up sending for one of your domains, then forward a message or send through the API.
          </Empty>
        </div>
      ) : (
        <Rows label="Emails">
          {emails.map((email) => (
            <EmailRow key={email.id} of={email} />
          ))}
        </Rows>
      )}
      {cursor !== null && (
        <button type="button" class="button mt-4" onClick={() => void attempt(() => load(cursor))}>
          Load more
        </button>
      )}
    </Part>
  );
}
