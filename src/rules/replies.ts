/** What SMTP answers when it does not accept (decisions.md, SMTP; enhanced codes: RFC 3463, 5248). */
export interface SmtpReply {
  code: number;
  text: string;
}

export const replies = {
  unknown_recipient: { code: 550, text: '5.1.1 There is no such inbox here' },
  relay_refused: { code: 550, text: '5.7.1 Mail for that domain is not taken here' },
  domain_put_off: { code: 450, text: '4.2.1 Mail for that domain is not taken just now; try again later' },
  domain_stopped: { code: 550, text: '5.2.1 Mail for that domain is not taken any more' },
  account_put_off: { code: 450, text: '4.2.1 Mail for that address is not taken just now; try again later' },
  account_stopped: { code: 550, text: '5.2.1 Mail for that address is not taken any more' },
  reports_only: { code: 550, text: '5.7.1 Only delivery reports come to that address' },
  too_many_recipients: { code: 452, text: '4.5.3 Too many recipients; send to the rest in another message' },
  too_large: { code: 552, text: '5.3.4 The message is larger than this server takes' },
  looping: { code: 554, text: '5.4.6 Too many Received headers: the message goes round in circles' },
  bare_dot_line: { code: 554, text: '5.6.0 A line with a dot ended with a bare LF or CR' },
  store_full: { code: 452, text: '4.3.1 The store is full just now; try again later' },
  fault: { code: 451, text: '4.3.0 Something failed on our side; try again later' },
  shutting_down: { code: 421, text: '4.3.2 The server is going down; try again later' },
  server_full: {
    code: 421,
    text: '4.3.2 All connections of this server are in use, by others too; try again in some minutes',
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
  too_slow: { code: 421, text: '4.4.2 The message comes too slowly' },
} as const satisfies Record<string, SmtpReply>;

export type ReplyName = keyof typeof replies;
