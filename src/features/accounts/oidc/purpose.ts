/** What the provider's answer will be used for. */
export type OidcPurpose =
  | { to: 'sign_in' }
  /** The token of a one-time link. */
  | { to: 'accept_invite'; token: string }
  /** The session that began it, and the members that it confirmed; first the current one. */
  | { to: 'connect'; sessionId: string; userNos: number[] };
