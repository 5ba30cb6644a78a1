import type { SendingState } from '../../doors/dashboard/wire.ts';
import type { EmailView } from '../../features/outbound/wire.ts';
import { useData } from '../data.ts';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { Empty, PageBody } from '../parts.tsx';
import { plansThatHave } from '../plans.ts';
import { EmptyCard, Facts, Loaded, Part, Rows } from '../rows.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { Allowlist } from './allowlist.tsx';
import { EmailRow } from './email.tsx';
import { Hold } from './hold.tsx';
import { Suppressions } from './suppressions.tsx';

export default function SendingPage() {
  const sending = useData<SendingState>('sending');
  return (
    <PageBody title={words.frame.places.sending} about={words.account.sending.about}>
      <Loaded of={sending}>
        {(data) => {
          const reason = whyNot(data);
          return (
            <>
              {reason && (
                <div class="card mb-8">
                  <Empty icon="send" title={words.account.sending.notAvailable}>
                    {reason}
                  </Empty>
                </div>
              )}
              {!reason && <Hold isOn={data.hold_on} reload={sending.reload} />}
              {data.is_on && <Log />}
              {!reason && (
                <>
                  <Quota of={data.recipients} />
                  <Allowlist isOn={data.allowlist_on} reload={sending.reload} />
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
  if (!is_on) return words.account.sending.off;
  if (!is_in_plan) return plansThatHave('outbound');
  if (!is_allowed) return words.account.sending.offForAccount;
  return null;
}

function Quota({ of: { hour, hour_max, day, day_max } }: { of: SendingState['recipients'] }) {
  const t = words.account.sending;
  return (
    <Part title={t.limits}>
      <Facts
        of={[
          [t.perHour, words.frame.outOf(number(hour), number(hour_max))],
          [t.perDay, words.frame.outOf(number(day), number(day_max))],
        ]}
      />
    </Part>
  );
}

function Log() {
  const t = words.account.emails;
  const pages = usePages<EmailView>('emails');
  return (
    <Part
      title={t.title}
      actions={
        <button type="button" class="button" onClick={pages.reload}>
          {t.refresh}
        </button>
      }
    >
      <LoadedRows of={pages}>
        {(emails) =>
          emails.length === 0 ? (
            <EmptyCard icon="send" title={t.empty}>
              {t.emptyBody}
            </EmptyCard>
          ) : (
            <Rows label={t.title}>
              {emails.map((email) => (
                <EmailRow key={email.id} of={email} />
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={pages} />
    </Part>
  );
}
