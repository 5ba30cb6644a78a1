import { Diary } from '../diary.tsx';
import { PageBody } from '../parts.tsx';
import { words } from '../words/words.ts';

export default function AllRefusedMail() {
  const t = words.diary;
  return (
    <PageBody title={t.allTitle} about={t.allAbout}>
      <Diary path="operator/diary" empty={t.allEmpty} />
    </PageBody>
  );
}
