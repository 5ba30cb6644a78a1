/**
 * Finds the real target of an address that leads through another host (a click counter, a link checker), if the address
 * contains it. It only parses: fetching would use up a one-time link.
 */

/** Nested wrappers that are removed. */
const TIMES_MAX = 4;
/** Parameters that hold the target at a known wrapping host. */
const TARGET_PARAMETERS = [
  'url',
  'u',
  'q',
  'redirect',
  'redirect_url',
  'redirect_uri',
  'target',
  'to',
  'link',
  'dest',
  'destination',
  'goto',
  'r',
  'l',
  'href',
  'adurl',
  'ued',
  'domain',
  'murl',
];
/** Hosts that only redirect. */
const WRAPPERS =
  /(?:^|\.)(?:safelinks\.protection\.(?:outlook|office365)\.com|urldefense\.(?:com|proofpoint\.com|us)|l\.facebook\.com|lm\.facebook\.com|l\.instagram\.com|slack-redir\.net|linkprotect\.cudasvc\.com|protect[\w-]*\.mimecast\.com|url\.emailprotection\.link|secure-web\.cisco\.com|ddec1-0-en-ctp\.trendmicro\.com|protection\.sophos\.com|t\.umblr\.com|out\.reddit\.com|away\.vk\.com|href\.li|anon\.to|deref-(?:gmx|mail|web)[\w.-]*|deref-[\w-]+\.\w+|click\.[\w.-]+|clicks\.[\w.-]+|track\.[\w.-]+|tracking\.[\w.-]+|links?\.[\w.-]+|email\.[\w.-]+|redirect\.[\w.-]+|go\.[\w.-]+|trk\.[\w.-]+|url\d*\.[\w.-]+|t\.[\w.-]+|r\.[\w.-]+|e\.[\w.-]+|mandrillapp\.com|sendgrid\.net|list-manage\.com|mailgun\.org|mailjet\.com|sendibm\d*\.com|hubspotlinks\.com|awstrack\.me|exacttarget\.com|rs6\.net|createsend\d*\.com|mailchimp\.com)$/i;
const GOOGLE = /^(?:www\.)?google(?:\.[a-z]{2,3}){1,2}$/i;
/** Redirecting paths of hosts that also serve other pages, such as Google, LinkedIn, YouTube and Steam. */
const WRAPPING_PATH = /^\/(?:url|linkfilter\/?|redirect|redir|redir\/redirect|l\.php|link|away\.php)$/i;
const WRAPPING_PATH_HOSTS =
  /(?:^|\.)(?:google\.[a-z.]+|youtube\.com|linkedin\.com|steamcommunity\.com|facebook\.com|bing\.com|vk\.com|yandex\.[a-z]+)$/i;

/** An address as written, and parsed; null when it can't be parsed. */
export interface WrittenUrl {
  url: string;
  parsed: URL | null;
}

/** Returns the target; the address itself if it is not wrapped. */
export function unwrap(url: string): WrittenUrl {
  let current: WrittenUrl = { url, parsed: URL.parse(url) };
  for (let times = 0; times < TIMES_MAX; times++) {
    const target = findTarget(current);
    if (!target || target === current.url) break;
    current = { url: target, parsed: URL.parse(target) };
  }
  return current;
}

export const isWeb = (url: URL) => url.protocol === 'https:' || url.protocol === 'http:';

/** Whether a host only redirects. The path of an address there says nothing of its target ("/track/click"). */
export const isWrapper = (hostname: string) => WRAPPERS.test(hostname);

function findTarget({ url: written, parsed: url }: WrittenUrl): string | undefined {
  if (!url || !isWeb(url)) return;
  if (/^urldefense\./i.test(url.hostname)) return unwrapProofpoint(url, written);
  const wraps =
    isWrapper(url.hostname) || (WRAPPING_PATH.test(url.pathname) && WRAPPING_PATH_HOSTS.test(url.hostname));
  if (GOOGLE.test(url.hostname) && url.pathname !== '/url') return;
  if (!wraps) return;
  return readParameters(url) ?? readPath(url);
}

function readParameters(url: URL): string | undefined {
  for (const name of TARGET_PARAMETERS) {
    const target = readWebAddress(url.searchParams.get(name));
    if (target) return target;
  }
  return undefined;
}

/** Reads the target from the path, where Amazon and others have it: an encoded segment, or base64. */
function readPath(url: URL): string | undefined {
  for (const part of url.pathname.slice(0, 8000).split('/').slice(0, 12)) {
    if (/^https?(?:%3A|:)/i.test(part)) {
      const target = readWebAddress(decodeUrl(part));
      if (target) return target;
    }
    if (/^aHR0c[A-Za-z0-9_-]{8,}={0,2}$/.test(part)) {
      const target = readWebAddress(Buffer.from(part, 'base64url').toString('utf8'));
      if (target) return target;
    }
  }
  return undefined;
}

/**
 * Reads Proofpoint's forms (https://help.proofpoint.com). v1 and v2 have the target in a parameter; v3 has it in the
 * path, and its special characters separately.
 */
function unwrapProofpoint(url: URL, written: string): string | undefined {
  const parameter = url.searchParams.get('u');
  if (parameter && url.pathname.startsWith('/v2'))
    return readWebAddress(decodeUrl(parameter.replaceAll('-', '%').replaceAll('_', '/')));
  if (parameter) return readWebAddress(parameter);
  const v3 = /\/v3\/__(.{1,6000}?)__;([\w=-]{0,4000})!/.exec(written);
  return v3 ? readWebAddress(unwrapProofpointV3(v3[1]!, v3[2]!)) : undefined;
}

/** `*` is one of the characters that are encoded at the end; `**A` is a run of two of them, `**B` of three, … */
function unwrapProofpointV3(written: string, encoded: string): string {
  const characters = [...Buffer.from(encoded, 'base64url').toString('utf8')];
  const RUN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let at = 0;
  const url = written.replace(/\*(?:\*([\w-]))?/g, (_, length?: string) => {
    const count = length ? RUN.indexOf(length) + 2 : 1;
    at += count;
    return characters.slice(at - count, at).join('');
  });
  // The scheme's two slashes may have become one on the way.
  return url.replace(/^(https?):\/(?!\/)/i, '$1://');
}

function readWebAddress(value: string | null | undefined): string | undefined {
  if (!value) return;
  const text = /^https?%3A/i.test(value) ? decodeUrl(value) : value;
  return text && /^https?:\/\/[^/\s]+/i.test(text) && URL.canParse(text) ? text : undefined;
}

/** Decodes a part of an address; returns undefined if it can't be. */
export function decodeUrl(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
