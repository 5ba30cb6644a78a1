/**
 * What each plan allows (docs/decisions.md, Plans). Every number is a setting: POSTERN_PLAN_<PLAN>_<CAP>. An
 * entitlement is 1 (yes) or 0 (no); retention 0 means forever.
 */
export const capMeanings = {
  inboxes: 'live inboxes',
  api_keys: 'live API keys per account',
  custom_domains: 'custom domains',
  webhooks: 'webhooks, one per inbox: 1 yes, 0 no',
  batch: 'batch message operations: 1 yes, 0 no',
  catch_all: 'catch-all routing: 1 yes, 0 no',
  outbound: 'outbound email: 1 yes, 0 no',
  outbound_queued: 'outbound emails waiting to be sent',
  outbound_recipients_per_hour: 'recipients of outbound email per hour',
  outbound_recipients_per_day: 'recipients of outbound email per day',
  outbound_allowlist: 'approved recipients',
  full_verify: 'full address verification: 1 yes, 0 no',
  concurrent_waits: 'waits and streams open at the same time',
  retention_days: 'days for which messages are kept, 0: forever',
} as const;

export type Cap = keyof typeof capMeanings;
export type Caps = Record<Cap, number>;

/** The same in every plan, so that an operator can enable sending in one by a single number. */
const sending = {
  outbound_queued: 500,
  outbound_recipients_per_hour: 200,
  outbound_recipients_per_day: 1000,
  outbound_allowlist: 500,
} as const;

export const plans = {
  free: {
    inboxes: 5,
    api_keys: 100,
    custom_domains: 0,
    webhooks: 0,
    batch: 0,
    catch_all: 0,
    outbound: 0,
    ...sending,
    full_verify: 0,
    concurrent_waits: 2,
    retention_days: 7,
  },
  pro: {
    inboxes: 50,
    api_keys: 100,
    custom_domains: 0,
    webhooks: 1,
    batch: 1,
    catch_all: 0,
    outbound: 0,
    ...sending,
    full_verify: 0,
    concurrent_waits: 3,
    retention_days: 30,
  },
  scale: {
    inboxes: 500,
    api_keys: 100,
    custom_domains: 0,
    webhooks: 1,
    batch: 1,
    catch_all: 0,
    outbound: 0,
    ...sending,
    full_verify: 0,
    concurrent_waits: 8,
    retention_days: 90,
  },
  business: {
    inboxes: 5000,
    api_keys: 100,
    custom_domains: 25,
    webhooks: 1,
    batch: 1,
    catch_all: 1,
    outbound: 1,
    ...sending,
    full_verify: 1,
    concurrent_waits: 16,
    retention_days: 0,
  },
} as const satisfies Record<string, Caps>;

export type Plan = keyof typeof plans;
/** The caps in force: this table, overridden by the operator's settings. */
export type Plans = Record<Plan, Caps>;

/** The plan of a new account: of one that the operator creates, and of one that signs up. */
export const newPlans = { created: 'business', signUp: 'free' } as const satisfies Record<string, Plan>;

export const planNames = Object.keys(plans) as Plan[];
export const accountKinds = ['standard', 'agent', 'demo'] as const;
export const accountStatuses = ['active', 'unverified', 'suspended', 'inactive'] as const;
export const memberRoles = ['owner', 'member'] as const;
export type AccountKind = (typeof accountKinds)[number];
export type AccountStatus = (typeof accountStatuses)[number];
export type MemberRole = (typeof memberRoles)[number];
