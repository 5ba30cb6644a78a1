import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../core/id.ts';
import type { Floor } from '../../floor.ts';
import { parseAddress } from '../../mail/address.ts';

/*
 * Envelope sender of each email (decisions.md, Outbound): `bounce+<id>.<mac>@<mail domain>`. The MAC, by the server's own
 * key, says that the email is ours; 64 bits, so that the local part keeps to 64 octets (RFC 5321 4.5.3.1.1).
 */
const MAC_CHARS = 16;

export function bounceAddress({ key, settings }: Pick<Floor, 'key' | 'settings'>, id: string): string {
  return `bounce+${id}.${macOf({ key }, id)}@${settings.mail_domain}`;
}

/** The email's id; `forged` when it has the form and not our MAC; null when it is no such address. */
export function readBounceAddress(
  floor: Pick<Floor, 'key' | 'settings'>,
  address: string,
): { id: string } | 'forged' | null {
  const parsed = parseAddress(address);
  if (!parsed || parsed.domain !== floor.settings.mail_domain) return null;
  const local = parsed.local.toLowerCase();
  if (!local.startsWith('bounce+')) return null;
  const [id = '', mac = '', ...more] = local.slice('bounce+'.length).split('.');
  if (!isId('outbound_email', id) || mac.length !== MAC_CHARS || more.length > 0) return 'forged';
  return timingSafeEqual(Buffer.from(mac, 'latin1'), Buffer.from(macOf(floor, id), 'latin1'))
    ? { id }
    : 'forged';
}

function macOf({ key }: Pick<Floor, 'key'>, id: string): string {
  return key.sign(`bounce ${id}`).toString('hex').slice(0, MAC_CHARS);
}
