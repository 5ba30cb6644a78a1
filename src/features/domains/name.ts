import { failField } from '../../platform/core/failure.ts';
import { mxHost, type Settings } from '../../platform/core/settings.ts';
import { readDomainName } from '../../platform/mail/domain-name.ts';
import { challengeHost, dkimHost } from './records.ts';
import { SELECTOR_CHARS } from './selector.ts';

const HOST_CHARS_MAX = 253;
/** What stands before a name in the hosts of its records, those of sending too. */
const prefixes = [challengeHost(''), dkimHost('', '?'.repeat(SELECTOR_CHARS))];

/** The domain that a caller names, as it is stored; throws validation_error naming `name`. */
export function domainName(settings: Settings, written: string): string {
  const read = readDomainName(written);
  if ('fault' in read) return failField('name', read.fault);
  const { name } = read;
  if (isOfService(settings, name)) failField('name', 'is a domain of this service itself');
  const atMost = HOST_CHARS_MAX - Math.max(...prefixes.map(({ length }) => length));
  if (name.length > atMost)
    failField('name', `is too long for the hosts of its DNS records: it may have ${atMost} characters`);
  return name;
}

/** The shared domain and what is under it, and the hosts by which the service is reached. */
function isOfService(settings: Settings, name: string): boolean {
  const { mail_domain, base_url } = settings;
  const hosts = [mail_domain, mxHost(settings), ...(base_url ? [new URL(base_url).hostname] : [])];
  return hosts.some((host) => host.toLowerCase() === name) || name.endsWith(`.${mail_domain}`);
}
