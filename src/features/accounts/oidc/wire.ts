/** OpenID Connect on the wire: what the pages load. */

/** Where the page goes to use OpenID Connect: the provider, or a page here (without the base path) if that failed. */
export interface WayToProvider {
  location: string;
  /** What the page must keep for the way back; null if it failed. */
  pending: string | null;
}

/** The page that shows what became of the provider's answer (without the base path). */
export interface WayBack {
  location: string;
}

export interface SingleSignOnState {
  is_on: boolean;
  /** Null if the member can't sign in with it. */
  connected_at: string | null;
}
