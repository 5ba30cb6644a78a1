import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../../platform/core/id.ts';
import { parseAddress } from '../../../platform/mail/address.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { emailById } from './sql.ts';

/*
 * Envelope sender (decisions.md, Outbound): `bounce+<id>.<mac>@<mail domain>`. Everybody who gets an email sees it, so each
 * domain that the email goes to has its own: a report may speak of that domain's recipients only. The MAC, by the
 * server's own key, says whose it is; 64 bits, so that the local part keeps to 64 octets (RFC 5321 4.5.3.1.1), which
 * leaves no room for the domain itself.
 */
const MAC_CHARS = 16;

/** Whom a report to an address may speak of. */
export interface ReportScope {
  emailId: string;
  /** Null: all recipients, as the addresses that older versions gave out mean it. */
  domain: string | null;
}

export function bounceAddress(
  { key, settings }: Pick<PlatformServices, 'key' | 'settings'>,
  id: string,
  domain: string,
): string {
  return `bounce+${id}.${macOf({ key }, id, domain)}@${settings.mail_domain}`;
}

/** `forged` when it has the form, and our MAC for no recipient of an email of ours; null when it is no such address. */
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
  const recipients = emailById(services.store, id)?.recipients ?? [];
  const domains = new Set([...recipients.map(({ domain }) => domain), null]);
  for (const domain of domains) {
    const right = Buffer.from(macOf(services, id, domain), 'latin1');
    if (timingSafeEqual(Buffer.from(mac, 'latin1'), right)) return { emailId: id, domain };
  }
  return 'forged';
}

function macOf({ key }: Pick<PlatformServices, 'key'>, id: string, domain: string | null): string {
  const said = domain === null ? `bounce ${id}` : `bounce ${id} ${domain}`;
  return key.sign(said).toString('hex').slice(0, MAC_CHARS);
}
