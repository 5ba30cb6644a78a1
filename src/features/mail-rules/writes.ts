import { Failure, fail, failField } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import type { OnceRequest } from '../../platform/http/route.ts';
import { withIdempotency } from '../../platform/http/writes.ts';
import { parseAddress, toInboxAddress } from '../../platform/mail/address.ts';
import {
  type AnyWriteOp,
  auditedOp,
  jobOp,
  type KeptKind,
  onFullDisk,
  type Reading,
  type TallyKind,
  type Tx,
} from '../../platform/store/operation.ts';
import { mailRules as bounds } from '../../rules/mail-rules.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import { createTrapInbox, type TrapInbox } from '../domains/trap-inbox.ts';
import { findInboxByAddress, findOwnInbox, findOwnInboxByAddress } from '../inboxes/sql.ts';
import { eraseExpired, insertMessage, type NewMessage } from '../messages/writes.ts';
import { isApproved } from '../outbound/allowlist/sql.ts';
import { errandWrites } from './errands/writes.ts';
import { recordCreated, recordDeleted, recordUpdated } from './record-change.ts';
import {
  type Actions,
  applyRules,
  type Conditions,
  type Outcome,
  prepareRule,
  type ReadyRule,
  type Rule,
} from './rule.ts';
import { EXPIRED, findOwnRule, listEnabledRules, listRules, type RuleRow, readRule } from './sql.ts';

/** A rule sends without asking anyone, so it is an owner's decision, like approved recipients and webhooks. */
export const OWNERS_SEND =
  'Only an owner, or a key that an owner created, may change rules that forward mail or post notices.';
const OWNERS_STOP =
  'Only an owner, or a key that an owner created, may put a rule with stop before one that forwards mail or posts notices.';

/** The topic of notices about accounts that have something to send. */
export const ERRAND_NOTICE = 'errand';

/** The changes that a request asks for. Fields that it leaves out stay the same. */
export interface RuleChanges {
  name?: string | undefined;
  is_enabled?: boolean | undefined;
  /** From 1. Beyond the last, the rule becomes the last. */
  position?: number | undefined;
  conditions: Partial<Conditions>;
  actions: Partial<Actions>;
}

const emptyRule: { conditions: Conditions; actions: Actions } = {
  conditions: { inbox_id: null, from: null, to: null, subject: null, has_code: null },
  actions: {
    tags: [],
    mark_read: false,
    delete_after_days: null,
    forward_to: [],
    notify: null,
    stop: false,
  },
};

/**
 * The rules of accounts that got mail lately, ready to apply: reading them for every mail takes longer than applying
 * them. They can't be stale, because only this file writes rules. Those of a deleted account may stay here, so look up
 * only an account that has rules.
 */
const readyRules: KeptKind<Map<number, readonly ReadyRule[]>> = { make: () => new Map() };
/** How many accounts' rules are kept ready: a few megabytes at most. */
const READY_ACCOUNTS_MAX = 1_000;

/** Accounts whose rules this group of writes has changed. Until it commits, their rules are not kept. */
const changedRules: TallyKind<Set<number>> = { make: () => new Set(), write: () => {} };

function noteChange(tx: Tx, accountNo: number): void {
  tx.tallies.of(changedRules).add(accountNo);
  tx.kept(readyRules).delete(accountNo);
}

/** Stores a message of an account that has rules, applies them, and records what they did and what must be sent. */
export function insertWithRules(tx: Tx, inboxId: string, message: Omit<NewMessage, 'read_at'>): void {
  const { account_no, received_at, envelope_recipient, summary } = message;
  const { from, subject, otp, tags } = summary;
  const outcome = applyRules(
    readEnabled(tx, account_no),
    { inbox_id: inboxId, from, to: envelope_recipient, subject, has_code: otp !== null, tags },
    tx.nowUs,
  );
  if (!outcome) {
    insertMessage(tx, { ...message, read_at: null });
    return;
  }
  const readAt = outcome.isRead ? received_at : null;
  insertMessage(tx, { ...message, read_at: readAt, summary: { ...summary, tags: [...outcome.tags] } });
  recordOutcome(tx, outcome, { account_no, received_at });
}

function readEnabled(tx: Tx, accountNo: number): readonly ReadyRule[] {
  const ready = tx.kept(readyRules);
  const known = ready.get(accountNo);
  if (known) return known;
  const rules = listEnabledRules(tx, accountNo).map(prepareRule);
  if (tx.tallies.of(changedRules).has(accountNo)) return rules;
  if (ready.size >= READY_ACCOUNTS_MAX) ready.clear();
  ready.set(accountNo, rules);
  return rules;
}

function recordOutcome(
  tx: Tx,
  { done, errands, deleteAt }: Outcome,
  { account_no, received_at }: { account_no: number; received_at: number },
): void {
  tx.sql('INSERT INTO ruled_message (received_at, done, delete_at) VALUES (?, ?, ?)').run(
    received_at,
    JSON.stringify(done),
    deleteAt,
  );
  for (const { rule_id, rule_name, kind, target } of errands) {
    tx.sql(
      `INSERT INTO errand (account_no, received_at, rule_id, rule_name, kind, target, status, tries, created_at, at,
         due_at)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?, ?)`,
    ).run(account_no, received_at, rule_id, rule_name, kind, target, tx.nowUs, tx.nowUs, tx.nowUs);
  }
  if (errands.length > 0) tx.notify({ topic: ERRAND_NOTICE, no: account_no });
}

interface CreateRule {
  account_no: number;
  changes: RuleChanges;
  /** The inbox of a trap that the changes name. It is created if it is missing. */
  trapInbox: TrapInbox | null;
  isOwner: boolean;
  once: OnceRequest | null;
}

/** Creates a rule. Fails with conflict if there are too many, and with 422 for inboxes and addresses. */
export const createRuleOp = auditedOp(
  'mail_rules.create',
  (tx, { account_no, changes, trapInbox, isOwner, once }: CreateRule): RuleRow =>
    withIdempotency(tx, once, () => {
      // The key was valid when the request arrived, but the account may have been deleted since.
      if (!findAccountByNo(tx, account_no)) fail('authentication_required');
      const others = listRules(tx, account_no);
      if (others.length >= bounds.rulesMax)
        fail('conflict', { text: `There are ${bounds.rulesMax} rules already; delete one first.` });
      ensureTrapInbox(tx, trapInbox);
      const whole = mergeChanges(tx, account_no, emptyRule, changes);
      requireAction(whole.actions);
      const id = newId('mail_rule');
      tx.sql(
        `INSERT INTO mail_rule (id, account_no, position, name, is_enabled, conditions, actions, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        id,
        account_no,
        others.length + 1,
        changes.name ?? '',
        Number(changes.is_enabled ?? true),
        JSON.stringify(whole.conditions),
        JSON.stringify(whole.actions),
        tx.nowUs,
        tx.nowUs,
      );
      const row = moveRule(tx, account_no, id, changes.position);
      if (!isOwner) requireSorting(tx, account_no, id);
      recordCreated(tx, row);
      return row;
    }),
);

interface UpdateRule {
  account_no: number;
  id: string;
  changes: RuleChanges;
  /** As in CreateRule. */
  trapInbox: TrapInbox | null;
  isOwner: boolean;
}

export const updateRuleOp = auditedOp(
  'mail_rules.update',
  (tx, { account_no, id, changes, trapInbox, isOwner }: UpdateRule): RuleRow => {
    const row = findOwnRule(tx, account_no, id) ?? fail('not_found');
    if (!isOwner) requireSorting(tx, account_no, id);
    ensureTrapInbox(tx, trapInbox);
    const whole = mergeChanges(tx, account_no, readRule(row), changes);
    requireAction(whole.actions);
    tx.sql(
      'UPDATE mail_rule SET name = ?, is_enabled = ?, conditions = ?, actions = ?, updated_at = ? WHERE no = ?',
    ).run(
      changes.name ?? row.name,
      Number(changes.is_enabled ?? row.is_enabled === 1),
      JSON.stringify(whole.conditions),
      JSON.stringify(whole.actions),
      tx.nowUs,
      row.no,
    );
    const updated = moveRule(tx, account_no, id, changes.position);
    if (!isOwner) requireSorting(tx, account_no, id);
    recordUpdated(tx, row, updated);
    return updated;
  },
);

export const deleteRuleOp = auditedOp(
  'mail_rules.delete',
  (tx, { account_no, id, isOwner }: { account_no: number; id: string; isOwner: boolean }): void => {
    const row = findOwnRule(tx, account_no, id) ?? fail('not_found');
    if (!isOwner) requireSorting(tx, account_no, id);
    tx.sql('DELETE FROM mail_rule WHERE no = ?').run(row.no);
    renumber(
      tx,
      listRules(tx, account_no).map(({ no }) => no),
    );
    noteChange(tx, account_no);
    recordDeleted(tx, row);
  },
);

/**
 * Fails unless a rule only sorts mail, for members: owners decide which mail is sent. Checked before and after a
 * change. A rule with `stop` before a rule that sends counts too, because it decides what that one sends.
 */
function requireSorting(tx: Tx, accountNo: number, id: string): void {
  const rules = listRules(tx, accountNo).map(readRule);
  const at = rules.findIndex((rule) => rule.id === id);
  const sends = ({ actions }: Rule) => actions.forward_to.length > 0 || actions.notify !== null;
  if (sends(rules[at]!)) fail('account_forbidden', { text: OWNERS_SEND });
  if (rules[at]!.actions.stop && rules.slice(at + 1).some(sends))
    fail('account_forbidden', { text: OWNERS_STOP });
}

/** Moves a rule to a position, if one is given, and returns it. */
function moveRule(tx: Tx, accountNo: number, id: string, position: number | undefined): RuleRow {
  noteChange(tx, accountNo);
  const row = findOwnRule(tx, accountNo, id)!;
  if (position === undefined) return row;
  const order = listRules(tx, accountNo)
    .map(({ no }) => no)
    .filter((no) => no !== row.no);
  order.splice(position - 1, 0, row.no);
  renumber(tx, order);
  return findOwnRule(tx, accountNo, id)!;
}

function renumber(tx: Tx, order: readonly number[]): void {
  for (const [index, no] of order.entries())
    tx.sql('UPDATE mail_rule SET position = ? WHERE no = ? AND position <> ?').run(index + 1, no, index + 1);
}

/** Returns a rule that is not stored, for a dry run. It need not have an action. */
export function planRule(reading: Reading, accountNo: number, changes: RuleChanges): Rule {
  return { id: '', name: changes.name ?? '', ...mergeChanges(reading, accountNo, emptyRule, changes) };
}

/** Returns the whole rule after the changes. Fails unless the inbox is the account's and its forwards are approved. */
function mergeChanges(
  tx: Reading,
  accountNo: number,
  before: { conditions: Conditions; actions: Actions },
  changes: RuleChanges,
): { conditions: Conditions; actions: Actions } {
  const conditions = { ...before.conditions, ...changes.conditions };
  const actions = { ...before.actions, ...changes.actions };
  const { inbox_id } = changes.conditions;
  // An address is accepted too, as in paths. The id is stored, since another inbox may get the same address later.
  if (inbox_id != null)
    conditions.inbox_id =
      findOwnInbox(tx, accountNo, inbox_id)?.id ?? failField('inbox_id', 'is not one of your inboxes');
  checkForwards(tx, accountNo, conditions, actions.forward_to);
  return { conditions, actions };
}

/** Creates the inbox that a rule of a trap names. It is in the rule's transaction, so a rule that is refused leaves none. */
function ensureTrapInbox(tx: Tx, inbox: TrapInbox | null): void {
  if (!inbox) return;
  const { trap, address } = inbox;
  if (findOwnInboxByAddress(tx, trap.account_no, address)) return;
  // In capture mode, it may be the address of another account.
  if (!trap.isApart && findInboxByAddress(tx, address)) return;
  try {
    createTrapInbox(tx, inbox);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'plan_limit_reached') throw thrown;
    failField('inbox_id', 'would be a new inbox, and the account has as many as its plan allows');
  }
}

function requireAction(actions: Actions): void {
  const { tags, mark_read, delete_after_days, forward_to, notify, stop } = actions;
  if (tags.length > 0 || mark_read || delete_after_days !== null || forward_to.length > 0 || notify || stop)
    return;
  failField('body', 'must do something: tags, mark_read, delete_after_days, forward_to, notify or stop');
}

/** Forwards need approved recipients, even if the account may send to others: a rule asks nobody before it sends. */
function checkForwards(
  tx: Reading,
  accountNo: number,
  { inbox_id }: Conditions,
  addresses: readonly string[],
): void {
  for (const address of addresses) {
    const parsed = parseAddress(address);
    const inbox = parsed && findOwnInboxByAddress(tx, accountNo, toInboxAddress(parsed));
    if (inbox && (inbox_id === null || inbox_id === inbox.id))
      failField('forward_to', `has ${address}, whose own mail this rule forwards: that would be a loop`);
  }
  const strangers = addresses.filter((address) => !isApproved(tx, accountNo, address.toLowerCase()));
  if (strangers.length > 0) {
    const reason = `has ${strangers.join(', ')}, which is not an approved recipient (POST /outbound_allowlist)`;
    fail('recipient_not_approved', { fields: { forward_to: [reason] } });
  }
}

/** Deletes messages whose time, as set by a rule, has come. Returns how many there were. */
export const deleteExpiredOp = jobOp('mail_rules.delete_expired', (tx, { max }: { max: number }): number => {
  const rows = tx.sql(EXPIRED).all(tx.nowUs, max) as { received_at: number }[];
  return eraseExpired(
    tx,
    rows.map(({ received_at }) => received_at),
  );
});

export const mailRuleWrites: readonly AnyWriteOp[] = [
  createRuleOp,
  updateRuleOp,
  onFullDisk(deleteRuleOp),
  ...errandWrites,
  deleteExpiredOp,
];
