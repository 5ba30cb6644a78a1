import { me } from '../api.ts';
import { Diary } from '../diary.tsx';
import { PageBody } from '../parts.tsx';

export default function RejectedMail() {
  return (
    <PageBody
      title="Rejected mail"
      about={`Mail to this account that was rejected, and why. Kept for ${me.value?.bounds.refused_mail_days} days.`}
    >
      <Diary
        path="diary"
        empty={
          <>
            No mail to this account was rejected.
            {me.value?.is_operator && ' For mail to unknown addresses, see Server, All rejected mail.'}
          </>
        }
      />
    </PageBody>
  );
}
