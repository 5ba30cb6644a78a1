/** What the provider's answer will be used for. */
export type OidcPurpose =
  | { to: 'sign_in' }
  /** The token of a one-time link. */
  | { to: 'accept_invite'; token: string }
  /** The session that began it, and the members that it confirmed; first the current one. */
  | { to: 'connect'; sessionId: string; userNos: number[] };

/**
 * What keeps a sign-in between its two requests: the browser's cookie, or the page that began it, in its tab's session
 * storage. Another port of our host, or another name of its domain, can set our cookies, but not our storage. So no answer links
 * a person to a member unless our own page, in the same tab, asked for that.
 */
export type Keeper = 'cookie' | 'page';

export const findKeeper = ({ to }: OidcPurpose): Keeper => (to === 'sign_in' ? 'cookie' : 'page');
