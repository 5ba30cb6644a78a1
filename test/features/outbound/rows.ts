/** Rows that only what sends would write, put beside the appliance, which never has these operations. */
import { join } from 'node:path';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import { type Tx, writeOp } from '../../../src/platform/store/operation.ts';
import { outbound as rules } from '../../../src/rules/outbound.ts';
import type { RunningAppliance } from '../../start.ts';
import type { Sender } from './sender.ts';

const suppressOp = writeOp(
  'test.suppress',
  (tx: Tx, { account_no, email }: { account_no: number; email: string }) =>
    tx
      .sql(
        `INSERT INTO suppression (account_no, email, reason, created_at, expires_at)
         VALUES (?, ?, '550 5.1.1', ?, ?)`,
      )
      .run(account_no, email, tx.nowUs, tx.nowUs + rules.suppressed_s * 1_000_000).changes,
);

export async function suppress({ appliance, owner }: Sender, ...emails: string[]): Promise<void> {
  const writer = new Writer(join(appliance.data_dir, 'postern.db'), [suppressOp]);
  const nowUs = appliance.services.clock.nowUs();
  for (const [id, email] of emails.entries()) {
    const input = { account_no: owner.account.no, email };
    writer.commitGroup([{ id, name: suppressOp.name, nowUs, input }]);
  }
  writer.close();
}

const finishOp = writeOp('test.finish', (tx: Tx, id: string) => {
  tx.sql(`UPDATE outbound_email SET status = 'sent', waiting = 0 WHERE id = ?`).run(id);
  tx.sql('DELETE FROM outbound_mime WHERE outbound_no = (SELECT no FROM outbound_email WHERE id = ?)').run(
    id,
  );
});

export async function finish({ data_dir }: RunningAppliance, id: string): Promise<void> {
  const writer = new Writer(join(data_dir, 'postern.db'), [finishOp]);
  writer.commitGroup([{ id: 1, name: finishOp.name, nowUs: 0, input: id }]);
  writer.close();
}
