import { useState } from 'preact/hooks';
import type { EmailView } from '../../features/outbound/wire.ts';
import { call, isOwner } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { fullTime } from '../format.ts';
import { TextField } from '../forms.tsx';
import { lazily } from '../lazy.tsx';
import { ShortTime } from '../parts.tsx';
import { Fault, Row, Rows, SwitchPart } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

const MailDialog = lazily(
  async () => (await import('../mail/read-only-mail.tsx')).ReadOnlyMailDialog,
  ['reading'],
);

const REFRESH_MS = 30_000;
const SHOWN = 100;

/** Turns the approval of members' emails on and off, and lists those that are held. Only owners see it. */
export function Hold({ isOn, reload }: { isOn: boolean; reload: () => Promise<void> }) {
  const t = words.contacts.hold;
  if (!isOwner.value) return null;
  return (
    <SwitchPart
      title={t.title}
      about={isOn ? t.on : t.off}
      isOn={isOn}
      onTurn={(enabled) => call('PUT', 'outbound_hold', { enabled })}
      reload={reload}
    >
      <HeldEmails />
    </SwitchPart>
  );
}

function HeldEmails() {
  const t = words.contacts.hold;
  const held = useData<EmailView[]>(`emails?status=held&limit=${SHOWN}`, REFRESH_MS);
  const [reviewed, setReviewed] = useState<EmailView | null>(null);
  if (!held.data?.length) return null;
  return (
    <>
      <Rows label={t.waiting}>
        {held.data.map((email) => (
          <HeldRow key={email.id} of={email} onReview={() => setReviewed(email)} />
        ))}
      </Rows>
      {held.data.length === SHOWN && (
        <p class="mt-2 text-sm text-soft">{words.contacts.senders.more(SHOWN)}</p>
      )}
      {reviewed && (
        <Review
          of={reviewed}
          onClose={() => setReviewed(null)}
          onDecided={async () => {
            setReviewed(null);
            await held.reload();
          }}
        />
      )}
    </>
  );
}

function HeldRow({ of: email, onReview }: { of: EmailView; onReview: () => void }) {
  const t = words.contacts.hold;
  const { subject, recipients, created_at, held } = email;
  const name = subject || words.list.noSubject;
  return (
    <Row
      actions={
        <button type="button" class="button button-main" aria-label={t.reviewOne(name)} onClick={onReview}>
          {t.review}
        </button>
      }
    >
      <p class="flex flex-wrap items-baseline gap-x-3">
        <bdi class="min-w-0 font-medium wrap-anywhere">{name}</bdi>
        <ShortTime at={created_at} />
      </p>
      <p class="text-sm text-soft wrap-anywhere">
        {recipients.map((recipient) => recipient.email).join(', ')}
      </p>
      <p class="text-xs text-faint">
        {[...(held?.by ? [t.asked(held.by)] : []), t.until(fullTime(held?.until ?? created_at))].join(' · ')}
      </p>
    </Row>
  );
}

interface ReviewProps {
  of: EmailView;
  onClose: () => void;
  onDecided: () => Promise<void>;
}

/** Shows the email as parsed from its bytes, and every recipient: blind copies are in no header. */
function Review({ of: { id, subject, recipients }, onClose, onDecided }: ReviewProps) {
  const t = words.contacts.hold;
  const [reason, setReason] = useTyped(`outbound_emails/${id}`, '');
  const decide = async (path: 'approve' | 'reject', body: object | undefined, said: string) => {
    await call('POST', `outbound_emails/${id}/${path}`, body);
    showToast(said);
    await onDecided();
  };
  const approving = useSubmit(() => decide('approve', undefined, t.approved));
  const rejecting = useSubmit(() => decide('reject', reason === '' ? {} : { reason }, t.rejected));
  const isBusy = approving.isBusy || rejecting.isBusy;
  return (
    <MailDialog path={`outbound_emails/${id}/mail`} name={subject || words.list.noSubject} onClose={onClose}>
      <div class="mt-5 space-y-3 border-t border-line pt-4">
        <p class="text-sm">
          <span class="text-faint">{t.to}</span>{' '}
          <span class="wrap-anywhere">{recipients.map(({ email }) => email).join(', ')}</span>
        </p>
        <Fault>{approving.fault ?? rejecting.fault}</Fault>
        <form class="flex flex-wrap items-end gap-2" onSubmit={rejecting.onSubmit}>
          <div class="min-w-56 flex-1">
            <TextField
              label={t.reason}
              fault={rejecting.findFault('reason')}
              maxlength={200}
              value={reason}
              onInput={setReason}
            />
          </div>
          <button type="submit" class="button button-danger" disabled={isBusy}>
            {t.reject}
          </button>
          <button
            type="button"
            class="button button-main"
            disabled={isBusy}
            onClick={(event) => approving.onSubmit(event)}
          >
            {t.approve}
          </button>
        </form>
      </div>
    </MailDialog>
  );
}
