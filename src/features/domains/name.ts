import { failField } from '../../platform/core/failure.ts';
import { mxHost, type Settings } from '../../platform/core/settings.ts';
import { readDomainName } from '../../platform/mail/domain-name.ts';
import { makeChallengeHost, makeDkimHost } from './records.ts';
import { SELECTOR_CHARS } from './selector.ts';

const HOST_CHARS_MAX = 253;
const NAME_CHARS_MAX = HOST_CHARS_MAX - makeChallengeHost('').length;
const SENDING_NAME_CHARS_MAX = HOST_CHARS_MAX - makeDkimHost('', '?'.repeat(SELECTOR_CHARS)).length;

/** Returns a request's domain name in its stored form, or fails with validation_error for `name`. */
export function requireDomainName(settings: Settings, written: string): string {
  const read = readDomainName(written);
  if ('fault' in read) return failField('name', read.fault);
  const { name } = read;
  if (isOfService(settings, name)) failField('name', 'is a domain of this service');
  if (name.length > NAME_CHARS_MAX)
    failField('name', `is too long for the host of its TXT record; use at most ${NAME_CHARS_MAX} characters`);
  return name;
}

/** Fails with validation_error for `name` if a DKIM record of this domain would have too long a host. */
export function requireSendingName(name: string): void {
  if (name.length > SENDING_NAME_CHARS_MAX)
    failField(
      'name',
      `is too long for the host of a DKIM record; names of at most ${SENDING_NAME_CHARS_MAX} characters can send`,
    );
}

/** Whether a name is a host of this service, the shared domain or a subdomain of it. */
function isOfService(settings: Settings, name: string): boolean {
  const { mail_domain, base_url } = settings;
  const hosts = [mail_domain, mxHost(settings), ...(base_url ? [new URL(base_url).hostname] : [])];
  return hosts.some((host) => host.toLowerCase() === name) || name.endsWith(`.${mail_domain}`);
}
