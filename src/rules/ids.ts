/** Prefixes of public ids (docs/decisions.md, Names and forms). */
export const idPrefixes = {
  account: 'acct_',
  user: 'user_',
  key: 'key_',
  inbox: 'inbox_',
  message: 'msg_',
  thread: 'thr_',
  domain: 'dom_',
  webhook: 'hook_',
  event: 'evt_',
  test_event: 'evt_test_',
  outbound_email: 'out_',
  approved_recipient: 'apr_',
  request: 'req_',
  smtp_fault: 'fault_',
  mail_rule: 'rule_',
  session: 'sess_',
  passkey: 'pkey_',
  audit: 'aud_',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** Prefix of every API key, and how many characters of a key may be shown later (`key_prefix`). */
export const API_KEY_PREFIX = 'pst_live_';
export const API_KEY_SHOWN_CHARS = 16;

/** Prefix of every webhook secret; 32 random bytes in base64 follow. */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';
