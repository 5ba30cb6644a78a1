/** Finds the members that a person at the identity provider is. */
import type { Reading } from '../../../platform/store/operation.ts';
import type { User } from '../sql.ts';

/** At most this many accounts are opened by one sign-in. */
export const MEMBERSHIPS_MAX = 20;

/** A person at the identity provider. */
export interface OidcPerson {
  issuer: string;
  /** The provider's permanent id of the person. */
  subject: string;
  /** Verified by the provider; in lower case. */
  email: string;
}

/** Which accounts a person gets into by their email alone. */
export interface Welcome {
  /** The account that new people join. */
  homeNo: number | null;
  /** Whether strangers can make accounts, with any email and any members. */
  isSignUpOpen: boolean;
}

/** A member that belongs to the person who signs in. */
export interface OidcMember extends User {
  /** False if a stranger made the account while sign-up is open: its data does not show who the member is. */
  is_trusted: number;
}

/** Its parameters are those of `nameTrusted`. */
const IS_TRUSTED = '(NOT ? OR a.made_by_operator = 1 OR a.no IS ?)';
const nameTrusted = ({ isSignUpOpen, homeNo }: Welcome) => [Number(isSignUpOpen), homeNo];

/** The members that are linked to the person, first those of accounts that no stranger made. */
export function listLinked(reading: Reading, input: OidcPerson & Welcome): OidcMember[] {
  return reading
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role, ${IS_TRUSTED} AS is_trusted
       FROM identity i JOIN user u ON u.no = i.user_no JOIN account a ON a.no = u.account_no
       WHERE i.issuer = ? AND i.subject = ? AND a.deleted_at IS NULL
       ORDER BY is_trusted DESC, u.no LIMIT ?`,
    )
    .all(...nameTrusted(input), input.issuer, input.subject, MEMBERSHIPS_MAX) as OidcMember[];
}

/**
 * The members with the person's email that are linked to nobody. Those of accounts that strangers made are left out: a
 * stranger may have signed up with the email, or have added it as a member, before its owner ever came here.
 */
export function listUnlinked(reading: Reading, input: OidcPerson & Welcome): OidcMember[] {
  return reading
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role, 1 AS is_trusted
       FROM user u INDEXED BY user_by_email JOIN account a ON a.no = u.account_no
       WHERE u.email = ? AND a.deleted_at IS NULL AND ${IS_TRUSTED}
         AND NOT EXISTS (SELECT 1 FROM identity i WHERE i.user_no = u.no AND i.issuer = ?)
       ORDER BY u.no LIMIT ?`,
    )
    .all(input.email, ...nameTrusted(input), input.issuer, MEMBERSHIPS_MAX) as OidcMember[];
}

/** Whether a member with this email is linked to another person. */
export function isLinkedToAnother(reading: Reading, { issuer, subject, email }: OidcPerson): boolean {
  const row = reading
    .sql(
      `SELECT 1
       FROM user u INDEXED BY user_by_email JOIN account a ON a.no = u.account_no
         JOIN identity i ON i.user_no = u.no
       WHERE u.email = ? AND i.issuer = ? AND i.subject <> ? AND a.deleted_at IS NULL LIMIT 1`,
    )
    .get(email, issuer, subject);
  return row !== undefined;
}

/** Whether any account has a member with this email. */
export function hasMember(reading: Reading, email: string): boolean {
  const row = reading
    .sql(
      `SELECT 1 FROM user u INDEXED BY user_by_email JOIN account a ON a.no = u.account_no
       WHERE u.email = ? AND a.deleted_at IS NULL LIMIT 1`,
    )
    .get(email);
  return row !== undefined;
}

/** A member's link to a person at the provider. */
export interface Identity {
  subject: string;
  created_at: number;
  /** The person's email at the provider, at their last sign-in; null if unknown. */
  email: string | null;
}

/** Returns null if the member is linked to no person at this provider. */
export function findIdentity(reading: Reading, userNo: number, issuer: string): Identity | null {
  const row = reading
    .sql('SELECT subject, created_at, email FROM identity WHERE user_no = ? AND issuer = ?')
    .get(userNo, issuer);
  return (row as Identity | undefined) ?? null;
}

/** Whether a sign-in by email alone links members of this account. */
export function isLinkedByEmail(reading: Reading, accountNo: number, welcome: Welcome): boolean {
  const row = reading
    .sql(`SELECT 1 FROM account a WHERE a.no = ? AND ${IS_TRUSTED}`)
    .get(accountNo, ...nameTrusted(welcome));
  return row !== undefined;
}
