import type { Reading } from '../../../platform/store/operation.ts';

/** An inbox that a request names as the target of a catch-all. */
interface RequestedTarget {
  no: number;
  id: string;
  domain_no: number | null;
  is_enabled: number;
  is_live: number;
}

/** Finds an inbox of this account by its public id, even if it was just deleted. */
export function findTarget(reading: Reading, accountNo: number, id: string): RequestedTarget | null {
  const row = reading
    .sql(
      `SELECT no, id, domain_no, is_enabled, deleted_at IS NULL AS is_live
       FROM inbox
       WHERE id = ? AND account_no = ?`,
    )
    .get(id, accountNo);
  return (row as RequestedTarget | undefined) ?? null;
}

/** Returns the target inbox of a domain's catch-all, on or off; null if there is none that can receive mail. */
export function findBoundTarget(reading: Reading, domainNo: number): number | null {
  const row = reading
    .sql(
      `SELECT i.no
       FROM domain d JOIN inbox i ON i.no = d.catch_all_inbox_no
       WHERE d.no = ? AND i.deleted_at IS NULL AND i.is_enabled = 1`,
    )
    .get(domainNo) as { no: number } | undefined;
  return row?.no ?? null;
}

/**
 * Returns the address of the target, to which mail for addresses without an inbox goes; null while the catch-all is
 * off.
 */
export function findCatchAllAddress(reading: Reading, domainNo: number): string | null {
  const row = reading
    .sql(
      `SELECT i.address
       FROM domain d JOIN inbox i ON i.no = d.catch_all_inbox_no
       WHERE d.no = ? AND d.catch_all = 1 AND i.deleted_at IS NULL AND i.is_enabled = 1`,
    )
    .get(domainNo) as { address: string } | undefined;
  return row?.address ?? null;
}
