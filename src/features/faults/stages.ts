/** The steps of a session, in their order (RFC 5321); `dot` is the end of the data. */
export const stages = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'dot'] as const;
export type Stage = (typeof stages)[number];

/** Whether a step comes before a server can know whose trap a session opens. */
export function isBeforeAuth(stage: Stage): boolean {
  return stages.indexOf(stage) < stages.indexOf('auth');
}
