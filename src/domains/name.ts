import { failField } from '../core/failure.ts';
import { mxHost, type Settings } from '../core/settings.ts';
import { readDomainName } from '../mail/domain-name.ts';
import { challengeHost } from './records.ts';

const HOST_CHARS_MAX = 253;

/** The domain that a caller names, as it is stored; throws validation_error naming `name`. */
export function domainName(settings: Settings, written: string): string {
  const read = readDomainName(written);
  if ('fault' in read) return failField('name', read.fault);
  const { name } = read;
  if (isOfService(settings, name)) failField('name', 'is a domain of this service itself');
  if (challengeHost(name).length > HOST_CHARS_MAX) {
    failField(
      'name',
      `is too long: ${challengeHost('')}… before it would have more than ${HOST_CHARS_MAX} characters`,
    );
  }
  return name;
}

/** The shared domain and what is under it, and the hosts by which the service is reached. */
function isOfService(settings: Settings, name: string): boolean {
  const { mail_domain, base_url } = settings;
  const hosts = [mail_domain, mxHost(settings), ...(base_url ? [new URL(base_url).hostname] : [])];
  return hosts.some((host) => host.toLowerCase() === name) || name.endsWith(`.${mail_domain}`);
}
