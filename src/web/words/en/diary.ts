import type { RefusedMail } from '../../../doors/dashboard/wire.ts';
import { plural } from '../amounts.ts';

/** Mail that SMTP rejected. */
export default {
  /** What each reason means for someone who misses a message, and what to do. */
  meanings: {
    unknown_recipient: 'No inbox has this address. Check the spelling, or create the inbox.',
    no_account:
      'The server has no account yet. If it had accounts before, check that the right disk is mounted.',
    foreign_network: 'The client’s network may not use this trap.',
    relay_refused: 'This server does not accept mail for that domain.',
    domain_put_off: 'The domain’s DNS records are missing. Senders will retry for a few days. See Domains.',
    domain_stopped: 'The domain is no longer verified. See Domains.',
    account_put_off: 'The account is suspended. Senders will retry for a few days.',
    account_stopped: 'The account has been suspended for too long to defer mail.',
    trap_full: 'The trap has as many inboxes as your plan allows. Delete some.',
    trap_closed: 'The API key was revoked, or the account was suspended, during the connection.',
    wrong_key: 'The SMTP password is not an API key of this server.',
    not_a_trap: 'The API key belongs to an account that is not a trap.',
    account_suspended: 'The API key belongs to an account that is not active.',
    starttls_off:
      'The client insists on TLS, which is off here. Turn TLS off there, or set POSTERN_SMTP_STARTTLS=on.',
    auth_in_clear: 'The client tried to sign in without TLS. Turn on STARTTLS or TLS there.',
    auth_in_mail: 'The client tried to sign in while it was sending a message.',
    too_many_wrong_keys: 'Too many wrong SMTP passwords from this address.',
    reports_only: 'That address only accepts delivery reports, and this was not one.',
    too_many_recipients: 'Too many recipients in one message. The sender will retry the rest.',
    too_large: 'The message exceeds the size limit of this server.',
    looping: 'The message is in a mail loop. Look for a forwarding rule that sends it back.',
    bare_dot_line: 'The message has invalid line endings, which can be used for SMTP smuggling.',
    store_full: 'The disk was almost full. The sender will retry.',
    cut_off: 'The connection ended before the whole message had arrived. Most senders will retry.',
    fault: 'An internal error. The sender will retry. See the log for details.',
    server_full: 'All SMTP connections were in use. The sender will retry.',
    made_room: 'The connection was closed to make room for another. The sender will retry.',
    shutting_down: 'The server was shutting down. The sender will retry.',
    too_many_connections: 'Too many simultaneous connections from this sender. It will retry.',
    too_many_connects: 'Too many new connections per minute from this sender. It will retry.',
    too_many_faults: 'Too many invalid commands or unknown recipients in one connection.',
    session_too_long: 'The connection stayed open too long.',
    fault_on_demand: 'An SMTP fault rule of the trap asked for this.',
    too_slow: 'The message arrived too slowly.',
  } satisfies Record<RefusedMail['reason'], string>,
  title: 'Rejected mail',
  about: (days: number) =>
    plural(days, {
      one: `Mail to this account that was rejected, and why. Kept for ${days} day.`,
      other: `Mail to this account that was rejected, and why. Kept for ${days} days.`,
    }),
  empty: 'No mail to this account was rejected.',
  emptyForOperator:
    'No mail to this account was rejected. For mail to unknown addresses, see Server, All rejected mail.',
  allTitle: 'All rejected mail',
  allAbout:
    'Mail that was rejected, to any recipient. Similar entries are grouped; during a flood only some are kept.',
  allEmpty: 'No mail to this server was rejected.',
  none: 'No rejected mail',
  dropped: 'dropped',
  noRecipient: 'No recipient given',
  span: (first: string, last: string) => `${first} to ${last}`,
  from: 'From {from} via {client}: {reply}',
  report: '<> (delivery report)',
};
