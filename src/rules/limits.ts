import type { ErrorCode } from './errors.ts';

/**
 * Rate limits (api-v1.md, Limits). Windows are fixed and begin with the first request in them
 * (decisions.md, Requests). `max` is a setting, POSTERN_LIMIT_<NAME>; POSTERN_LIMITS=off lifts all.
 */
export interface LimitRule {
  max: number;
  window_s: number;
  per: 'key' | 'account' | 'inbox' | 'domain' | 'ip' | 'service' | 'person';
  code: ErrorCode;
  meaning: string;
  /** Unless it is set, `max` is this many times another limit, so that raising that one alone has an effect. */
  follows?: { limit: string; times: number };
}

const MINUTE = 60;
const HOUR = 3600;

export const limits = {
  requests_per_minute: {
    max: 120,
    window_s: MINUTE,
    per: 'key',
    code: 'rate_limited',
    meaning: 'requests a minute of one API key',
  },
  requests_per_hour: {
    max: 600,
    window_s: HOUR,
    per: 'key',
    code: 'rate_limited',
    meaning: 'requests an hour of one API key',
  },
  requests_account_per_minute: {
    max: 1200,
    window_s: MINUTE,
    per: 'account',
    code: 'rate_limited',
    meaning: 'requests a minute of all API keys of one account; 10 times those of a key unless set',
    follows: { limit: 'requests_per_minute', times: 10 },
  },
  requests_account_per_hour: {
    max: 6000,
    window_s: HOUR,
    per: 'account',
    code: 'rate_limited',
    meaning: 'requests an hour of all API keys of one account; 10 times those of a key unless set',
    follows: { limit: 'requests_per_hour', times: 10 },
  },
  batch_per_hour: {
    max: 60,
    window_s: HOUR,
    per: 'account',
    code: 'rate_limited',
    meaning: 'POST /messages/batch calls an hour of one account',
  },
  public_read_per_minute: {
    max: 30,
    window_s: MINUTE,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'anonymous reads a minute from one address',
  },
  webhook_test_inbox: {
    max: 10,
    window_s: HOUR,
    per: 'inbox',
    code: 'rate_limited',
    meaning: 'webhook test sends an hour of one inbox',
  },
  webhook_test_account: {
    max: 30,
    window_s: HOUR,
    per: 'account',
    code: 'rate_limited',
    meaning: 'webhook test sends an hour of one account',
  },
  verify_key_per_hour: {
    max: 300,
    window_s: HOUR,
    per: 'key',
    code: 'rate_limited',
    meaning: 'addresses verified an hour with one API key, alone and in batches',
  },
  verify_account_per_hour: {
    max: 1000,
    window_s: HOUR,
    per: 'account',
    code: 'rate_limited',
    meaning: 'addresses verified an hour by one account, alone and in batches',
  },
  agent_registrations_per_hour: {
    max: 10,
    window_s: HOUR,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'agent registrations an hour from one address',
  },
  agent_registrations_service_per_hour: {
    max: 100,
    window_s: HOUR,
    per: 'service',
    code: 'rate_limited',
    meaning: 'agent registrations an hour in all',
  },
  outbound_sends_per_minute: {
    max: 20,
    window_s: MINUTE,
    per: 'account',
    code: 'outbound_rate_limited',
    meaning: 'sends, replies, forwards and composed emails a minute of one account',
  },
  outbound_allowlist_changes_per_hour: {
    max: 60,
    window_s: HOUR,
    per: 'account',
    code: 'outbound_allowlist_rate_limited',
    meaning: 'changes an hour of the list of approved recipients of one account',
  },
  sign_ins_per_quarter_hour: {
    max: 30,
    window_s: 900,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'tries a quarter of an hour to sign in to the dashboard, or to use a link, from one address',
  },
  wrong_passwords_per_hour: {
    max: 50,
    window_s: HOUR,
    per: 'person',
    code: 'rate_limited',
    meaning: 'wrong passwords an hour for one email, after which nobody signs in with it',
  },
  sign_ups_per_hour: {
    max: 5,
    window_s: HOUR,
    per: 'ip',
    code: 'rate_limited',
    meaning: 'accounts an hour that are made in the dashboard from one address',
  },
  sign_ups_service_per_hour: {
    max: 100,
    window_s: HOUR,
    per: 'service',
    code: 'rate_limited',
    meaning: 'accounts an hour that are made in the dashboard in all',
  },
  domain_verify_domain: {
    max: 1,
    window_s: 30,
    per: 'domain',
    code: 'domain_verify_rate_limited',
    meaning: 'checks that are asked for in 30 seconds, of one domain',
  },
  domain_verify_account: {
    max: 20,
    window_s: HOUR,
    per: 'account',
    code: 'domain_verify_rate_limited',
    meaning: 'checks of domains that are asked for in an hour, of one account',
  },
  catch_all_toggles: {
    max: 6,
    window_s: HOUR,
    per: 'domain',
    code: 'catch_all_rate_limited',
    meaning: 'switches of the catch-all in an hour, of one domain',
  },
  sending_setups: {
    max: 6,
    window_s: HOUR,
    per: 'domain',
    code: 'rate_limited',
    meaning: 'DKIM keys made in an hour, of one domain',
  },
  dashboard_looks_per_minute: {
    max: 60,
    window_s: MINUTE,
    per: 'account',
    code: 'rate_limited',
    meaning: "looks at domains' DNS records in the dashboard, a minute of one account",
  },
  dashboard_requests_per_minute: {
    max: 1200,
    window_s: MINUTE,
    per: 'account',
    code: 'rate_limited',
    meaning: 'requests of the dashboard, a minute of all who are signed in to one account',
  },
  dashboard_keys_per_hour: {
    max: 30,
    window_s: HOUR,
    per: 'account',
    code: 'rate_limited',
    meaning: 'API keys that are created in the dashboard, an hour of one account',
  },
  dashboard_changes_per_minute: {
    max: 120,
    window_s: MINUTE,
    per: 'account',
    code: 'rate_limited',
    meaning: "changes by the dashboard's owner pages, a minute of one account",
  },
} as const satisfies Record<string, LimitRule>;

export type LimitName = keyof typeof limits;
/** The limits in force: the table with the operator's settings laid over it. */
export type Limits = Record<LimitName, LimitRule>;
