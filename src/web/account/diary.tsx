import { me } from '../api.ts';
import { Diary } from '../diary.tsx';
import { PageBody } from '../parts.tsx';

export default function RefusedMail() {
  return (
    <PageBody
      title="Refused mail"
      about="Mail to this account that SMTP did not take, and why: for when a mail did not come. Kept for 30 days."
    >
      <Diary
        path="diary"
        empty={
          <>
            Nothing that was sent to an inbox of this account was refused.
            {me.value?.is_operator && ' Mail to addresses that nobody has is under Server, Refused mail.'}
          </>
        }
      />
    </PageBody>
  );
}
