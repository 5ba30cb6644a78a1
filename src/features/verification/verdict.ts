import type { ProbeReport } from './probe.ts';

export const modes = ['safe', 'full'] as const;
export type Mode = (typeof modes)[number];

export const verdicts = ['deliverable', 'risky', 'undeliverable', 'unknown'] as const;

/** The reasons of docs/decisions.md, Verification. */
export const reasons = [
  'ok',
  'invalid_syntax',
  'domain_not_found',
  'no_mail_server',
  'null_mx',
  'dns_error',
  'disposable',
  'role_account',
  'a_fallback',
  'mailbox_not_found',
  'mailbox_full',
  'catch_all',
  'batch_budget_exhausted',
] as const;

export type AddressVerdict = (typeof verdicts)[number];
export type Reason = (typeof reasons)[number];

/** A verification result in the API (docs/api-v1.md, Other objects), with the fields added to v1. */
export interface Verification {
  email: string;
  deliverable: AddressVerdict;
  syntax_valid: boolean;
  domain: string | null;
  has_mx: boolean;
  is_disposable: boolean;
  is_role: boolean;
  reason: Reason;
  /** The deepest check that was completed. */
  checked: 'syntax' | 'dns' | 'smtp';
  is_free: boolean;
  suggestion: string | null;
  normalized: string | null;
  lists_date: string;
  smtp?: ProbeReport;
}

/** Returns the worst risk of a domain or a mailbox; null if there is none. */
export function findRisk(facts: {
  is_disposable: boolean;
  isFull?: boolean;
  is_catch_all?: boolean;
  is_role: boolean;
  isFallback: boolean;
}): Reason | null {
  if (facts.is_disposable) return 'disposable';
  if (facts.isFull) return 'mailbox_full';
  if (facts.is_catch_all) return 'catch_all';
  if (facts.is_role) return 'role_account';
  return facts.isFallback ? 'a_fallback' : null;
}
