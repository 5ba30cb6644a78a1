import type { WayToProvider } from '../features/accounts/oidc/wire.ts';
import { base } from './base.ts';

/** To the identity provider (OpenID Connect) and back. */

/** Opens the provider's page, or the one of ours that says why that is not possible. */
export function goToProvider({ location: way }: WayToProvider): void {
  location.assign(way.startsWith('/') ? base + way : way);
}

const findOutcome = () => new URLSearchParams(location.search).get('sign_in');

/** Whether the provider's answer led back to this page. */
export function isFromProvider(): boolean {
  return findOutcome() !== null;
}

/** Returns why single sign-on failed, in the words given; undefined if it did not. */
export function findOidcProblem(problems: Readonly<Record<string, string>>): string | undefined {
  return problems[findOutcome() ?? ''];
}
