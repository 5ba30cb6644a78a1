/** The steps of a session, in order (RFC 5321). `dot` is the end of the message data. */
export const stages = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'dot'] as const;
export type Stage = (typeof stages)[number];

/** Whether a step comes before AUTH, which tells a server whose trap the session opens. */
export function isBeforeAuth(stage: Stage): boolean {
  return stages.indexOf(stage) < stages.indexOf('auth');
}
