import { failField } from '../../platform/core/failure.ts';
import { mxHost, type Settings } from '../../platform/core/settings.ts';
import { readDomainName } from '../../platform/mail/domain-name.ts';
import { makeChallengeHost, makeDkimHost } from './records.ts';
import { SELECTOR_CHARS } from './selector.ts';

const HOST_CHARS_MAX = 253;
/** What precedes the name in the hosts of its records, including those for sending. */
const prefixes = [makeChallengeHost(''), makeDkimHost('', '?'.repeat(SELECTOR_CHARS))];

/** Returns a request's domain name in its stored form, or fails with validation_error for `name`. */
export function requireDomainName(settings: Settings, written: string): string {
  const read = readDomainName(written);
  if ('fault' in read) return failField('name', read.fault);
  const { name } = read;
  if (isOfService(settings, name)) failField('name', 'is a domain of this service');
  const atMost = HOST_CHARS_MAX - Math.max(...prefixes.map(({ length }) => length));
  if (name.length > atMost)
    failField('name', `is too long for the hosts of its DNS records; use at most ${atMost} characters`);
  return name;
}

/** Whether a name is a host of this service, the shared domain or a subdomain of it. */
function isOfService(settings: Settings, name: string): boolean {
  const { mail_domain, base_url } = settings;
  const hosts = [mail_domain, mxHost(settings), ...(base_url ? [new URL(base_url).hostname] : [])];
  return hosts.some((host) => host.toLowerCase() === name) || name.endsWith(`.${mail_domain}`);
}
