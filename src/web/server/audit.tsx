import { AuditLog } from '../audit.tsx';
import { PageBody } from '../parts.tsx';
import { words } from '../words/words.ts';

export default function WholeAuditPage() {
  return (
    <PageBody title={words.frame.places['all-audit']} about={words.audit.aboutAll}>
      <AuditLog path="operator/audit" showsAccount />
    </PageBody>
  );
}
