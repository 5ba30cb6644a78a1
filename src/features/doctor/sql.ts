import { type Reading, readOp } from '../../platform/store/operation.ts';

export interface Soundness {
  /** What SQLite found, a line for each fault; empty if the store is sound. */
  faults: string[];
  messages: number;
  inboxes: number;
  accounts: number;
}

const FAULTS_MAX = 5;

/** Checks the whole file, which takes seconds per gigabyte. */
export const soundnessRead = readOp('doctor.soundness', ({ sql }, _: null): Soundness => {
  const rows = sql(`PRAGMA quick_check(${FAULTS_MAX})`).all() as { quick_check: string }[];
  const faults = rows.map(({ quick_check }) => quick_check).filter((line) => line !== 'ok');
  const astray = sql('PRAGMA foreign_key_check').all() as { table: string; parent: string }[];
  for (const { table, parent } of astray.slice(0, FAULTS_MAX)) {
    faults.push(`a row of ${table} refers to a missing row of ${parent}`);
  }
  const count = (table: string) =>
    (sql(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
  return {
    faults,
    messages: count('message'),
    inboxes: count('inbox'),
    accounts: count('account'),
  };
});

/** Returns a webhook, whose secret only the right server key opens; null if there is none. */
export function findAnyWebhook(reading: Reading): number | null {
  const row = reading.sql('SELECT no FROM webhook WHERE removed_at IS NULL LIMIT 1').get() as
    | { no: number }
    | undefined;
  return row?.no ?? null;
}

/** Returns a DKIM key, for the same test; null if there is none. */
export function findAnyDkimKey(
  reading: Reading,
): { domain_id: string; public_key: string; private_key: Buffer } | null {
  const row = reading
    .sql(
      `SELECT d.id AS domain_id, k.public_key, k.private_key
       FROM dkim_key k JOIN domain d ON d.no = k.domain_no
       LIMIT 1`,
    )
    .get();
  return (row as { domain_id: string; public_key: string; private_key: Buffer } | undefined) ?? null;
}

/** Returns the first few verified domains whose newest DKIM key is not in the DNS. */
export function listUnsignedDomains(reading: Reading, rows: number): { name: string; dkim_status: string }[] {
  return reading
    .sql(
      `SELECT d.name, k.status AS dkim_status
       FROM domain d JOIN dkim_key k ON k.no = (SELECT max(no) FROM dkim_key WHERE domain_no = d.no)
       WHERE d.status = 'verified' AND k.status <> 'verified'
       ORDER BY d.no
       LIMIT ?`,
    )
    .all(rows) as { name: string; dkim_status: string }[];
}

/** Returns when the newest message arrived, in microseconds; 0 if none ever did. */
export function readLastArrival(reading: Reading): number {
  return (reading.sql('SELECT last_at FROM arrival').get() as { last_at: number }).last_at;
}

/**
 * Returns the account that the doctor may create its inbox in: the operator's, or the oldest. Null if there is none.
 */
export function chooseTestAccount(reading: Reading): number | null {
  const row = reading
    .sql('SELECT no FROM account WHERE deleted_at IS NULL ORDER BY operator DESC, no LIMIT 1')
    .get() as { no: number } | undefined;
  return row?.no ?? null;
}
