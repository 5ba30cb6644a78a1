import { HOUR_S, MINUTE_S } from './durations.ts';
import type { ErrorCode } from './errors.ts';

/**
 * Rate limits (docs/api-v1.md, Limits). Windows are fixed, and start with their first request (docs/decisions.md, Requests). Each
 * `max` is a setting, POSTERN_LIMIT_<NAME>; POSTERN_LIMITS=off lifts all of them.
 */
export interface LimitRule {
  max: number;
  windowS: number;
  per: 'key' | 'account' | 'inbox' | 'domain' | 'ip' | 'service' | 'person';
  code: ErrorCode;
  meaning: string;
  /** Unless its setting is set, `max` is this multiple of another limit, so that raising that one is enough. */
  follows?: { limit: string; times: number };
}

export const limits = {
  requests_per_minute: {
    max: 120,
    windowS: MINUTE_S,
    per: 'key',
    code: 'rate_limited',
    meaning: 'requests per minute and API key',
  },
  requests_per_hour: {
    max: 600,
    windowS: HOUR_S,
    per: 'key',
    code: 'rate_limited',
    meaning: 'requests per hour and API key',
  },
  requests_account_per_minute: {
    max: 1200,
    windowS: MINUTE_S,
    per: 'account',
    code: 'rate_limited',
    meaning: "requests per minute and account, over all its API keys; 10 times a key's unless set",
    follows: { limit: 'requests_per_minute', times: 10 },
  },
  requests_account_per_hour: {
    max: 6000,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: "requests per hour and account, over all its API keys; 10 times a key's unless set",
    follows: { limit: 'requests_per_hour', times: 10 },
  },
  link_requests_per_hour: {
    max: 600,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'links of mails requested by checks (fetch=links) per hour and account',
  },
  batch_per_hour: {
    max: 60,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'POST /messages/batch calls per hour and account',
  },
  public_read_per_minute: {
    max: 30,
    windowS: MINUTE_S,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'anonymous reads per minute and address',
  },
  webhook_test_inbox: {
    max: 10,
    windowS: HOUR_S,
    per: 'inbox',
    code: 'rate_limited',
    meaning: 'webhook test sends per hour and inbox',
  },
  webhook_test_account: {
    max: 30,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'webhook test sends per hour and account',
  },
  verify_key_per_hour: {
    max: 300,
    windowS: HOUR_S,
    per: 'key',
    code: 'rate_limited',
    meaning: 'addresses verified per hour and API key, single and in batches',
  },
  verify_account_per_hour: {
    max: 1000,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'addresses verified per hour and account, single and in batches',
  },
  agent_registrations_per_hour: {
    max: 10,
    windowS: HOUR_S,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'agent registrations per hour and address',
  },
  agent_registrations_service_per_hour: {
    max: 100,
    windowS: HOUR_S,
    per: 'service',
    code: 'rate_limited',
    meaning: 'agent registrations per hour in total',
  },
  outbound_sends_per_minute: {
    max: 20,
    windowS: MINUTE_S,
    per: 'account',
    code: 'outbound_rate_limited',
    meaning: 'sends, replies, forwards and composed emails per minute and account',
  },
  outbound_allowlist_changes_per_hour: {
    max: 60,
    windowS: HOUR_S,
    per: 'account',
    code: 'outbound_allowlist_rate_limited',
    meaning: 'changes to the list of approved recipients per hour and account',
  },
  sign_ins_per_quarter_hour: {
    max: 30,
    windowS: 900,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'attempts to sign in to the dashboard, or to use a link, per 15 minutes and address',
  },
  wrong_passwords_per_hour: {
    max: 50,
    windowS: HOUR_S,
    per: 'person',
    code: 'rate_limited',
    meaning: 'wrong passwords per hour for one email address, after which nobody can sign in with it',
  },
  smtp_wrong_passwords_per_hour: {
    max: 50,
    windowS: HOUR_S,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'wrong passwords at SMTP AUTH per hour and address, after which AUTH is refused',
  },
  sign_ups_per_hour: {
    max: 5,
    windowS: HOUR_S,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'sign-ups in the dashboard per hour and address',
  },
  sign_ups_service_per_hour: {
    max: 100,
    windowS: HOUR_S,
    per: 'service',
    code: 'rate_limited',
    meaning: 'sign-ups in the dashboard per hour in total',
  },
  domain_verify_domain: {
    max: 1,
    windowS: 30,
    per: 'domain',
    code: 'domain_verify_rate_limited',
    meaning: 'requested checks of a domain per 30 seconds',
  },
  domain_verify_account: {
    max: 20,
    windowS: HOUR_S,
    per: 'account',
    code: 'domain_verify_rate_limited',
    meaning: 'requested domain checks per hour and account',
  },
  catch_all_toggles: {
    max: 6,
    windowS: HOUR_S,
    per: 'domain',
    code: 'catch_all_rate_limited',
    meaning: 'catch-all switches per hour and domain',
  },
  sending_setups: {
    max: 6,
    windowS: HOUR_S,
    per: 'domain',
    code: 'rate_limited',
    meaning: 'DKIM keys created per hour and domain',
  },
  dashboard_looks_per_minute: {
    max: 60,
    windowS: MINUTE_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'DNS record look-ups in the dashboard per minute and account',
  },
  dashboard_requests_per_minute: {
    max: 1200,
    windowS: MINUTE_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'dashboard requests per minute and account, over all its sessions',
  },
  dashboard_keys_per_hour: {
    max: 30,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'API keys created in the dashboard per hour and account',
  },
  dashboard_test_mails_per_hour: {
    max: 60,
    windowS: HOUR_S,
    per: 'account',
    code: 'rate_limited',
    meaning: 'test mails sent in the dashboard per hour and account',
  },
  dashboard_changes_per_minute: {
    max: 120,
    windowS: MINUTE_S,
    per: 'account',
    code: 'rate_limited',
    meaning: "changes on the dashboard's owner pages per minute and account",
  },
} as const satisfies Record<string, LimitRule>;

export type LimitName = keyof typeof limits;
/** The limits in force: this table, overridden by the operator's settings. */
export type Limits = Record<LimitName, LimitRule>;
