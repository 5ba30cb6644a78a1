import type { WayBack, WayToProvider } from '../features/accounts/oidc/wire.ts';
import { send } from './api.ts';
import { base } from './base.ts';

/** To the identity provider (OpenID Connect) and back. */

/** Where the tab keeps what it needs on the way back. No other origin can set it. */
const PLACE = 'postern.single-sign-on';

/** Opens the provider's page, or the one of ours that says why that is not possible. */
export function goToProvider({ location: way, pending }: WayToProvider): void {
  if (pending !== null) sessionStorage.setItem(PLACE, pending);
  location.assign(way.startsWith('/') ? base + way : way);
}

/**
 * Finishes what this tab began, with the provider's answer in the fragment, and opens the page that shows what became of
 * it. That replaces this one, so that Back does not return to a used answer.
 */
export async function comeBack(): Promise<void> {
  const pending = sessionStorage.getItem(PLACE) ?? '';
  const answer = location.hash.slice(1);
  const way = await send<WayBack>('POST', 'single-sign-on/finish', { pending, answer });
  sessionStorage.removeItem(PLACE);
  location.replace(base + way.location);
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
