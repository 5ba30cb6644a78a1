/** The SQL that the writer thread runs for a mail. Each statement per mail runs a million times a day. */
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writes } from '../../../src/app/writes.ts';
import { createAccountOp } from '../../../src/features/accounts/writes.ts';
import { createInboxOp } from '../../../src/features/inboxes/writes.ts';
import { storeMail } from '../../../src/features/ingest/writes.ts';
import { createRuleOp } from '../../../src/features/mail-rules/writes.ts';
import { type Statement, Statements } from '../../../src/platform/store/database.ts';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import { makeStoreMail } from '../../plain-mail.ts';

/** For every mail to one inbox without a webhook. Each line that is added here slows down every mail, so measure it. */
const everyMail = ['INSERT raw', 'SELECT message', 'INSERT message'];

/** For the first mail to an inbox after a write that clears the cache (platform/store/read-cache.ts). */
const firstMail = ['SELECT inbox', 'SELECT webhook'];

/** For every group of mails to one inbox. */
const everyGroup = [
  'BEGIN IMMEDIATE',
  'SELECT arrival',
  'UPDATE arrival',
  'UPDATE inbox',
  'INSERT usage',
  'UPDATE account',
  'COMMIT',
];

/** For every further inbox of a mail: its message, and its counter. */
const everyInbox = ['INSERT message', 'UPDATE inbox'];

let dir: string;
let writer: Writer;
let inboxes: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'postern-statements-'));
  writer = new Writer(join(dir, 'postern.db'), writes);
  const accountNo = createOwner();
  inboxes = ['ann', 'ben'].map((name) => createInboxOf(accountNo, name));
  // The first mail of a month starts its counters.
  commit([mailTo(inboxes)]);
});
afterEach(() => {
  writer.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a mail runs exactly these statements, and a group of mails these in addition', () => {
  const [one, three] = [1, 3].map((mails) => listStatements(Array.from({ length: mails }, () => mailTo())));
  expect(one).toEqual(sorted([...everyGroup, ...everyMail]));
  expect(three).toEqual(sorted([...everyGroup, ...everyMail, ...everyMail, ...everyMail]));
});

test('a second recipient of a mail adds no second copy of it, and both are in one thread', () => {
  const both = listStatements([mailTo(inboxes)]);
  expect(both).toEqual(sorted([...everyGroup, ...everyMail, ...everyInbox, 'INSERT thread']));
});

test('a mail whose sender is checked adds one statement', () => {
  const checked = listStatements([{ ...mailTo(), isChecked: true }]);
  expect(checked).toEqual(sorted([...everyGroup, ...everyMail, 'INSERT authentication']));
});

test('rules are read once, and add one statement to a mail that they match', () => {
  for (const subject of ['test', 'other', 'third']) createRule(subject);
  const one = listStatements([mailTo()]);
  const ruled = ['INSERT ruled_message', 'INSERT message_tag'];
  expect(one).toEqual(sorted([...everyGroup, ...firstMail, ...everyMail, 'SELECT mail_rule', ...ruled]));
  const three = listStatements([mailTo(), unruled(), unruled()]);
  expect(three).toEqual(sorted([...everyGroup, ...everyMail, ...everyMail, ...everyMail, ...ruled]));
});

test('a mail to an address that is gone runs only the look-up', () => {
  expect(listStatements([mailTo(['nobody@postern.test'])])).toEqual([
    'BEGIN IMMEDIATE',
    'COMMIT',
    'SELECT inbox',
  ]);
});

const sorted = (names: string[]) => names.sort();

/** Lists the statements of one group of mails, such as `INSERT message` and `COMMIT`, each as often as it ran. */
function listStatements(mails: Mail[]): string[] {
  const ran: string[] = [];
  const prepare = Statements.prototype.sql;
  const watch = spyOn(Statements.prototype, 'sql').mockImplementation(function (
    this: Statements,
    text: string,
  ) {
    return noteRuns(prepare.call(this, text), () => ran.push(nameStatement(text)));
  });
  try {
    commit(mails);
  } finally {
    watch.mockRestore();
  }
  return sorted(ran);
}

function noteRuns(statement: Statement, note: () => void): Statement {
  return new Proxy(statement, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        if (['run', 'get', 'all', 'iterate'].includes(String(name))) note();
        return value.apply(target, values);
      };
    },
  });
}

/** Returns the verb and the first table outside of subqueries; the whole text if there is none. */
function nameStatement(text: string): string {
  const [verb = ''] = text.trim().split(/\s/);
  const table = /\b(?:FROM|INTO|UPDATE)\s+(\w+)/.exec(text.replace(/EXISTS \([^()]*\)/g, ''))?.[1];
  return table ? `${verb} ${table}` : text;
}

type Mail = Parameters<typeof storeMail.run>[1];

/** A mail that no rule matches. */
function unruled(): Mail {
  const mail = mailTo();
  return { ...mail, summary: { ...mail.summary, subject: 'x' } };
}

let nextRef = 1;

const mailTo = (addresses = inboxes.slice(0, 1)) =>
  makeStoreMail(addresses, 'Subject: test\r\n\r\nbody\r\n', { ref: nextRef++ });

let nowUs = Date.UTC(2026, 10, 21) * 1000;

function commit(mails: Mail[]): void {
  nowUs += 1000;
  run(mails.map((input) => ({ name: storeMail.name, input })));
}

function run(calls: { name: string; input: unknown }[]): unknown[] {
  const answers = writer.commitGroup(calls.map((call, id) => ({ id, nowUs, ...call })));
  return answers.map((answer) => {
    if (!('output' in answer)) throw new Error(JSON.stringify(answer));
    return answer.output;
  });
}

function createOwner(): number {
  const input: Parameters<typeof createAccountOp.run>[1] = {
    account: {
      email: 'ann@example.org',
      name: 'Ann',
      plan: 'business',
      kind: 'standard',
      status: 'active',
      custom_domains: true,
      outbound: true,
      trap: false,
    },
    password_hash: null,
    key: { hash: new Uint8Array(32), key_prefix: 'pst_live_aaaa', name: 'first key' },
  };
  const [created] = run([{ name: createAccountOp.name, input }]) as [{ account: { no: number } }];
  return created.account.no;
}

function createRule(subject: string): void {
  const input: Parameters<typeof createRuleOp.run>[1] = {
    account_no: 1,
    changes: { conditions: { subject }, actions: { tags: ['a'], mark_read: true } },
    trapInbox: null,
    isOwner: true,
    once: null,
  };
  run([{ name: createRuleOp.name, input }]);
}

function createInboxOf(accountNo: number, name: string): string {
  const input: Parameters<typeof createInboxOp.run>[1] = {
    input: {
      account_no: accountNo,
      cap: 10,
      domain: 'postern.test',
      domain_id: null,
      routing_key: name,
      label: '',
      is_public: false,
      metadata: '{}',
    },
    once: null,
  };
  run([{ name: createInboxOp.name, input }]);
  return `${name}@postern.test`;
}
