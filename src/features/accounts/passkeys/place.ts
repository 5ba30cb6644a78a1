import { findPasskeyPlace, findRpId, LOCAL_RP_ID, type NoPasskeys } from '../../../platform/core/rp-id.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { SignInOptions } from './sql.ts';
import type { PasskeyPlace } from './wire.ts';

type Parts = Pick<PlatformServices, 'settings' | 'listening'>;

export interface RelyingParty {
  rpId: string;
  origin: string;
}

/** Returns the relying party that browsers are given, or null where passkeys can't work. */
export function findRelyingParty(parts: Parts): RelyingParty | null {
  const place = locate(parts);
  return typeof place === 'string' ? null : place;
}

/** The form in which the pages load it. */
export function viewPlace(parts: Parts): PasskeyPlace {
  const place = locate(parts);
  return typeof place === 'string'
    ? { origin: null, problem: place }
    : { origin: place.origin, problem: null };
}

function locate({ settings, listening }: Parts): RelyingParty | NoPasskeys {
  if (settings.base_url !== null) return findPasskeyPlace(settings.base_url);
  const url = new URL(listening.http ?? 'http://localhost');
  url.hostname = LOCAL_RP_ID;
  return { rpId: LOCAL_RP_ID, origin: url.origin };
}

/** Returns how members can sign in on this server, by its settings. */
export function findSignInOptions({ settings }: Pick<PlatformServices, 'settings'>): SignInOptions {
  return {
    hasPasswords: settings.passwords,
    issuer: settings.oidc_issuer,
    rp_id: findRpId(settings),
  };
}
