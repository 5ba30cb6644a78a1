import { Diary } from '../diary.tsx';
import { PageBody } from '../parts.tsx';

export default function AllRefusedMail() {
  return (
    <PageBody
      title="Refused mail"
      about="All that SMTP did not take, to whomever it was sent. Alike ones stand together, and of a flood a part is kept."
    >
      <Diary path="operator/diary" empty="All that came was taken." />
    </PageBody>
  );
}
