import { DAY_US } from '../../platform/core/clock.ts';
import type { OnceRequest } from '../../platform/http/route.ts';
import { withIdempotency } from '../../platform/http/writes.ts';
import { type AnyWriteOp, auditedOp, jobOp } from '../../platform/store/operation.ts';
import { insertKey } from '../accounts/keys/writes.ts';
import { insertAccount, removeAccount } from '../accounts/writes.ts';
import { recordAudit } from '../audit/writes.ts';
import type { Inbox } from '../inboxes/sql.ts';
import { createInbox } from '../inboxes/writes.ts';

/** 30 days (docs/decisions.md, Plans), plus one because activity is recorded only once a day. */
const IDLE_US = 31 * DAY_US;

interface Registration {
  name: string;
  hash: Uint8Array;
  key_prefix: string;
  /** The API key, sealed with the server's own key, for a repeat with the same Idempotency-Key. */
  sealedKey: string;
  /** How many live inboxes the plan allows. If 0, there is no first inbox. */
  cap: number;
  domain: string;
  once: OnceRequest | null;
}

export interface Registered {
  key_prefix: string;
  sealedKey: string;
  inbox: Inbox | null;
}

/** Creates an agent's account, its key and its first inbox, all or nothing. */
export const registerOp = auditedOp(
  'registration.register',
  (tx, input: Registration): Registered =>
    withIdempotency(tx, input.once, () => {
      const { name, hash, key_prefix, sealedKey, cap, domain } = input;
      const account = insertAccount(tx, {
        name,
        email: null,
        plan: 'free',
        kind: 'agent',
        status: 'active',
        // The free plan has no custom domains, but the account may move to one that has.
        custom_domains: true,
        outbound: false,
        operator: false,
        trap: false,
        made_by_operator: false,
      });
      insertKey(tx, {
        account_no: account.no,
        user_no: null,
        role: 'owner',
        name: 'registration',
        hash,
        key_prefix,
        made_by_operator: false,
      });
      const details = { kind: 'agent', plan: account.plan, key: key_prefix };
      recordAudit(tx, { action: 'account.created', account_no: account.no, details });
      const newInbox = {
        account_no: account.no,
        cap,
        domain,
        routing_key: null,
        label: '',
        is_public: false,
        metadata: '{}',
      };
      return { key_prefix, sealedKey, inbox: cap > 0 ? createInbox(tx, newInbox) : null };
    }),
);

/** Removes idle accounts of agents, the longest idle first. Returns how many. */
export const collectIdleOp = jobOp('registration.collect_idle', (tx, { max }: { max: number }): number => {
  const idle = tx
    .sql(
      `SELECT no
       FROM account
       WHERE kind = 'agent' AND deleted_at IS NULL AND last_active_at < ?
       ORDER BY last_active_at
       LIMIT ?`,
    )
    .all(tx.nowUs - IDLE_US, max) as { no: number }[];
  for (const { no } of idle) removeAccount(tx, no);
  return idle.length;
});

/** For src/app/writes.ts. */
export const registrationWrites: readonly AnyWriteOp[] = [registerOp, collectIdleOp];
