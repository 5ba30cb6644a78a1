import { Diary } from '../diary.tsx';
import { PageBody } from '../parts.tsx';

export default function AllRejectedMail() {
  return (
    <PageBody
      title="All rejected mail"
      about="Mail that was rejected, to any recipient. Similar entries are grouped; during a flood only some are kept."
    >
      <Diary path="operator/diary" empty="No mail to this server was rejected." />
    </PageBody>
  );
}
