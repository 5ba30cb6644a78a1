import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../../platform/core/id.ts';
import { parseAddress } from '../../../platform/mail/address.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { findEmailById } from './sql.ts';

/*
 * The envelope sender is `bounce+<id>.<mac>@<mail domain>` (docs/decisions.md, Outbound). Every recipient sees it, so
 * each recipient domain gets its own: a report to it may only be about that domain's recipients. The MAC uses the
 * server's key. It has 64 bits to keep the local part within 64 octets (RFC 5321, section 4.5.3.1.1), which also leaves
 * no room for the domain.
 */
const MAC_CHARS = 16;

/** The recipients that a report to a bounce address may be about. */
export interface ReportScope {
  emailId: string;
  /** Null means all recipients: addresses from older versions carry no domain. */
  domain: string | null;
}

export function formatBounceAddress(
  { key, settings }: Pick<PlatformServices, 'key' | 'settings'>,
  id: string,
  domain: string,
): string {
  return `bounce+${id}.${computeMac({ key }, id, domain)}@${settings.mail_domain}`;
}

/** Returns null for an address that is no bounce address, and `forged` if its MAC matches no recipient of the email. */
export function readBounceAddress(
  services: Pick<PlatformServices, 'key' | 'settings' | 'store'>,
  address: string,
): ReportScope | 'forged' | null {
  const parsed = parseAddress(address);
  if (!parsed || parsed.domain !== services.settings.mail_domain) return null;
  const local = parsed.local.toLowerCase();
  if (!local.startsWith('bounce+')) return null;
  const [id = '', mac = '', ...more] = local.slice('bounce+'.length).split('.');
  if (!isId('outbound_email', id) || mac.length !== MAC_CHARS || more.length > 0) return 'forged';
  const recipients = findEmailById(services.store, id)?.recipients ?? [];
  const domains = new Set([...recipients.map(({ domain }) => domain), null]);
  for (const domain of domains) {
    const right = Buffer.from(computeMac(services, id, domain), 'latin1');
    if (timingSafeEqual(Buffer.from(mac, 'latin1'), right)) return { emailId: id, domain };
  }
  return 'forged';
}

function computeMac({ key }: Pick<PlatformServices, 'key'>, id: string, domain: string | null): string {
  const text = domain === null ? `bounce ${id}` : `bounce ${id} ${domain}`;
  return key.sign(text).toString('hex').slice(0, MAC_CHARS);
}
