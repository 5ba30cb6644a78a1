import type { Reading } from '../../platform/store/operation.ts';
import type { DomainView } from './wire.ts';

type DomainStatus = DomainView['status'];
type DkimStatus = NonNullable<DomainView['dkim_status']>;

/** A domain of an account, with its catch-all target and its newest DKIM key. */
export interface Domain {
  no: number;
  id: string;
  account_no: number;
  /** Lower-case ASCII, without the last dot. */
  name: string;
  status: DomainStatus;
  verification_token: string;
  /** When `pending_dns` began. */
  pending_since: number | null;
  /** Since when every check that got an answer has failed, while the domain is still `verified`. */
  failing_since: number | null;
  /** When it stopped being verified; null if it is verified or never was. */
  stopped_at: number | null;
  last_checked_at: number | null;
  last_error: string | null;
  /** Null while the domain is disabled. */
  next_check_at: number | null;
  /** 1 only while the target exists. */
  catch_all: number;
  catch_all_inbox_id: string | null;
  dkim_status: DkimStatus | null;
  dkim_selector: string | null;
  dkim_public_key_txt: string | null;
  created_at: number;
}

/** A DKIM key of a domain. */
export interface DkimKey {
  no: number;
  domain_no: number;
  selector: string;
  status: DkimStatus;
  /** The TXT record's value. */
  public_key: string;
  /** Encrypted (dkim-key.ts). */
  private_key: Buffer;
  failing_since: number | null;
  created_at: number;
}

const DOMAIN = `d.no, d.id, d.account_no, d.name, d.status, d.verification_token, d.pending_since, d.failing_since,
    d.stopped_at, d.last_checked_at, d.last_error, d.next_check_at, d.catch_all AND i.no IS NOT NULL AS catch_all,
    i.id AS catch_all_inbox_id, k.status AS dkim_status, k.selector AS dkim_selector,
    k.public_key AS dkim_public_key_txt, d.created_at
  FROM domain d
    LEFT JOIN inbox i ON i.no = d.catch_all_inbox_no AND i.deleted_at IS NULL
    LEFT JOIN dkim_key k ON k.no = (SELECT max(no) FROM dkim_key WHERE domain_no = d.no)`;

/** Finds a domain of any account by its public id. */
export function findDomainById(reading: Reading, id: string): Domain | null {
  return (reading.sql(`SELECT ${DOMAIN} WHERE d.id = ?`).get(id) as Domain | undefined) ?? null;
}

/** Finds a domain of any account, in any status, by its name (lower-case ASCII). */
export function findDomainByName(reading: Reading, name: string): Domain | null {
  return (reading.sql(`SELECT ${DOMAIN} WHERE d.name = ?`).get(name) as Domain | undefined) ?? null;
}

/** Finds a domain of this account by its public id. */
export function findOwnDomain(reading: Reading, accountNo: number, id: string): Domain | null {
  const domain = findDomainById(reading, id);
  return domain?.account_no === accountNo ? domain : null;
}

export const DOMAIN_LIST = `SELECT ${DOMAIN}
  WHERE d.account_no = ? AND d.no < ?
  ORDER BY d.no DESC
  LIMIT ?`;

/** Returns an account's domains before a row number, newest first. */
export function listDomains(reading: Reading, accountNo: number, before: number, rows: number): Domain[] {
  return reading.sql(DOMAIN_LIST).all(accountNo, before, rows) as Domain[];
}

export const DUE_DOMAINS = `SELECT ${DOMAIN}
  WHERE d.next_check_at <= ?
  ORDER BY d.next_check_at
  LIMIT ?`;

/** Returns domains that are due for a check, longest due first. */
export function listDueDomains(reading: Reading, nowUs: number, rows: number): Domain[] {
  return reading.sql(DUE_DOMAINS).all(nowUs, rows) as Domain[];
}

/** Whether any domain's check is scheduled after this time. */
export function isDueAfter(reading: Reading, timeUs: number): boolean {
  return reading.sql('SELECT 1 FROM domain WHERE next_check_at > ? LIMIT 1').get(timeUs) !== undefined;
}

export const LIVE_INBOXES = 'SELECT 1 FROM inbox WHERE domain_no = ? AND deleted_at IS NULL LIMIT 1';

/** Whether live inboxes are bound to a domain. */
export function hasInboxes(reading: Reading, domainNo: number): boolean {
  return reading.sql(LIVE_INBOXES).get(domainNo) !== undefined;
}

const KEY = 'no, domain_no, selector, status, public_key, private_key, failing_since, created_at';

/** Returns the key that signs now: the newest that was found in the DNS. A newer one waits until it is found there. */
export function findSigningKey(reading: Reading, domainNo: number): DkimKey | null {
  const row = reading
    .sql(
      `SELECT ${KEY}
       FROM dkim_key
       WHERE domain_no = ? AND status = 'verified'
       ORDER BY no DESC
       LIMIT 1`,
    )
    .get(domainNo);
  return (row as DkimKey | undefined) ?? null;
}

/** Returns a domain's keys, oldest first: at most the one that signs and a newer one. */
export function listDkimKeys(reading: Reading, domainNo: number): DkimKey[] {
  return reading
    .sql(`SELECT ${KEY} FROM dkim_key WHERE domain_no = ? ORDER BY no`)
    .all(domainNo) as DkimKey[];
}

/** Counts an account's domains in any status, for the plan's cap. */
export function countDomains(reading: Reading, accountNo: number): number {
  const row = reading.sql('SELECT count(*) AS domains FROM domain WHERE account_no = ?').get(accountNo);
  return (row as { domains: number }).domains;
}
