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
  /** The provider; null if there is none. */
  issuer: string | null;
  /** The person's email at the provider, at their last sign-in; null if unknown. */
  email: string | null;
  /** Null if the member can't sign in with it. */
  connected_at: string | null;
  /** Whether signing in with the member's email there connects it by itself. */
  by_email: boolean;
}
