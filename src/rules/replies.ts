/** SMTP replies that refuse (docs/decisions.md, SMTP; enhanced codes: RFC 3463, 5248). */
export interface SmtpReply {
  code: number;
  text: string;
}

export const replies = {
  unknown_recipient: { code: 550, text: '5.1.1 No such inbox' },
  no_account: { code: 451, text: '4.3.2 This server has no account yet; try again later' },
  foreign_network: { code: 554, text: '5.7.1 This trap accepts connections from its own networks only' },
  relay_refused: { code: 550, text: '5.7.1 This server does not accept mail for that domain' },
  domain_put_off: {
    code: 450,
    text: '4.2.1 Mail for that domain is not accepted at the moment; try again later',
  },
  domain_stopped: { code: 550, text: '5.2.1 Mail for that domain is no longer accepted' },
  account_put_off: {
    code: 450,
    text: '4.2.1 Mail for that address is not accepted at the moment; try again later',
  },
  account_stopped: { code: 550, text: '5.2.1 Mail for that address is no longer accepted' },
  trap_full: { code: 452, text: '4.2.2 The account has as many inboxes as its plan allows; delete some' },
  trap_closed: {
    code: 550,
    text: '5.7.1 This trap is closed: its key was revoked or its account changed; sign in again',
  },
  wrong_key: { code: 535, text: '5.7.8 The password is not an API key of this server' },
  not_a_trap: {
    code: 535,
    text: '5.7.8 The account of this key is no trap; the operator turns it into one with: postern account set --trap on',
  },
  account_suspended: { code: 535, text: '5.7.8 The account of this key is not active' },
  starttls_off: {
    code: 502,
    text: '5.5.1 STARTTLS is off here: turn TLS off in your mailer, or set POSTERN_SMTP_STARTTLS=on',
  },
  auth_in_clear: { code: 538, text: '5.7.11 AUTH needs TLS here: use STARTTLS first, or a TLS port' },
  auth_in_mail: { code: 503, text: '5.5.1 AUTH is not allowed during a mail transaction' },
  too_many_wrong_keys: {
    code: 421,
    text: '4.7.0 Too many wrong passwords from your address; try again later',
  },
  reports_only: { code: 550, text: '5.7.1 That address accepts delivery reports only' },
  too_many_recipients: { code: 452, text: '4.5.3 Too many recipients; send to the rest in another message' },
  too_large: { code: 552, text: '5.3.4 The message is larger than this server accepts' },
  looping: { code: 554, text: '5.4.6 Too many Received headers: mail loop' },
  bare_dot_line: { code: 554, text: '5.6.0 A line with only a dot ended in a bare LF or CR' },
  store_full: { code: 452, text: '4.3.1 The store is full; try again later' },
  /** Nobody reads this reply: it says in the diary why a mail is missing. */
  cut_off: { code: 451, text: '4.4.2 The connection ended before the message did' },
  fault: { code: 451, text: '4.3.0 Internal error; try again later' },
  shutting_down: { code: 421, text: '4.3.2 The server is shutting down; try again later' },
  server_full: {
    code: 421,
    text: '4.3.2 All connections of this server are in use; try again in a few minutes',
  },
  made_room: {
    code: 421,
    text: '4.4.2 Idle session closed to make room for others; reconnect when you have mail to send',
  },
  too_many_connections: {
    code: 421,
    text: '4.7.0 Too many open connections from your network; close some or reuse them',
  },
  too_many_connects: {
    code: 421,
    text: '4.7.0 Too many new connections from your network; wait a minute, or send more mail over each',
  },
  too_many_faults: { code: 421, text: '4.7.0 Too many bad commands or unknown recipients' },
  session_too_long: { code: 421, text: '4.4.2 The session lasted too long' },
  too_slow: { code: 421, text: '4.4.2 The message arrives too slowly' },
} as const satisfies Record<string, SmtpReply>;

export type ReplyName = keyof typeof replies;

/** Why something was refused. `fault_on_demand`: a fault rule of a trap asked for it, with a reply of its own. */
export type RefusalReason = ReplyName | 'fault_on_demand';
