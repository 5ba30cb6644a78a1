import { storeMail } from '../../../src/features/ingest/writes.ts';
import { type Statement, Statements } from '../../../src/platform/store/database.ts';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import { Stamps } from './stamps.ts';

/** Makes this thread's writer note three times for each mail: when its transaction begins, commits, and has ended. */
export function noteCommits(file: string): void {
  const stamps = new Stamps(file);
  const { commitGroup } = Writer.prototype;
  const { sql } = Statements.prototype;
  let isMail = false;

  Writer.prototype.commitGroup = function (calls) {
    isMail = calls.some(({ name }) => name === storeMail.name);
    if (!isMail) return commitGroup.call(this, calls);
    stamps.note();
    const answers = commitGroup.call(this, calls);
    stamps.note();
    stamps.endRow();
    isMail = false;
    return answers;
  };

  Statements.prototype.sql = function (text) {
    if (isMail && text === 'COMMIT') stamps.note();
    return sql.call(this, text) as Statement;
  };
}
