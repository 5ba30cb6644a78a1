import { isPrivateName } from '../domain-name.ts';

/** The marks of template engines, which should have replaced them: `{{url}}`, `*|UNSUB|*`, `%%link%%`, `<%= url %>`. */
const PLACEHOLDER =
  /\{\{|\}\}|\{%|\$\{|\*\||<%|%%[a-z_]|\[\[|\[[A-Z_]{3,}\]|%7B%7B|YOUR[-_]?(?:URL|LINK|DOMAIN)/i;

export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.slice(0, 4_000));
}

/** Whether a host is one for documentation, such as `example.com` (RFC 2606), which nobody owns. */
export function isExampleHost(host: string): boolean {
  return /(^|\.)(example(\.(com|net|org))?|yourdomain\.com|domain\.tld)$/.test(host);
}

/** Whether only a machine itself or its own network can reach a host, by its name or its address. */
export function isPrivateHost(host: string): boolean {
  if (host.startsWith('[')) return /^\[(::1?\]|f[cd]|fe[89ab]|::ffff:(7f|a[0-9a-f]{2}:|c0a8))/.test(host);
  const octets = readOctets(host);
  if (!octets) return !host.includes('.') || isPrivateName(host);
  const [first = 0, second = 0] = octets;
  return (
    [0, 10, 127].includes(first) ||
    (first === 169 && second === 254) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 100 && second >= 64 && second < 128)
  );
}

export function isAddressHost(host: string): boolean {
  return host.startsWith('[') || readOctets(host) !== null;
}

/** Reads an IPv4 address. `URL` has already turned every other spelling into four decimal numbers. */
function readOctets(host: string): number[] | null {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) ? host.split('.').map(Number) : null;
}

/** Hosts that shorten addresses. Spam filters distrust them, and a reader can't see where they lead. */
const SHORTENERS = new Set(
  'bit.ly buff.ly cutt.ly goo.gl is.gd lnkd.in ow.ly rb.gy rebrand.ly s.id shorturl.at t.co t.ly tiny.cc tinyurl.com v.gd'.split(
    ' ',
  ),
);

export function isShortener(host: string): boolean {
  return SHORTENERS.has(host.replace(/^www\./, ''));
}
