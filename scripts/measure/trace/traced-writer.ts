/** The writer thread, which notes the transaction of each mail and its commit. Takes the file for its times. */
import '../../../src/app/writer-thread.ts';
import { storeMail } from '../../../src/features/ingest/writes.ts';
import { type Statement, Statements } from '../../../src/platform/store/database.ts';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import { Stamps } from './stamps.ts';

const stamps = new Stamps(process.argv.at(-1)!);
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
