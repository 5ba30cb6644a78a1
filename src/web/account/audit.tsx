import { AuditLog } from '../audit.tsx';
import { PageBody } from '../parts.tsx';
import { words } from '../words/words.ts';

export default function AuditPage() {
  return (
    <PageBody title={words.frame.places.audit} about={words.audit.about}>
      <AuditLog path="audit" />
    </PageBody>
  );
}
