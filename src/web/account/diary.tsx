import { me } from '../api.ts';
import { Diary } from '../diary.tsx';
import { PageBody } from '../parts.tsx';
import { words } from '../words/words.ts';

export default function RefusedMail() {
  const t = words.diary;
  return (
    <PageBody title={t.title} about={t.about(me.value!.bounds.refused_mail_days)}>
      <Diary path="diary" empty={me.value?.is_operator ? t.emptyForOperator : t.empty} />
    </PageBody>
  );
}
