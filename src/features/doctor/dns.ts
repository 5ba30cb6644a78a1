/** Checks the mail domain's DNS: whether mail finds this server, and which servers may send for the domain. */
import { mxHost } from '../../platform/core/settings.ts';
import { isPrivateName } from '../../platform/mail/domain-name.ts';
import type { DnsOutcome } from '../../platform/net/dns.ts';
import { judgeAddress } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { adviseSpf } from '../domains/spf.ts';
import { type Check, type CheckVerdict, flag, pass } from './check.ts';
import { listUnsignedDomains } from './sql.ts';

/** How many domains a line names at most. */
const LISTED_MAX = 5;

function makeNameCheck(
  name: string,
  check: (services: PlatformServices, domain: string) => Promise<CheckVerdict>,
): Check {
  return {
    name,
    async run(services) {
      const { mail_domain } = services.settings;
      if (!isPrivateName(mail_domain)) return check(services, mail_domain);
      return pass(
        `${mail_domain} is a name for tests and private networks, so its DNS is not checked. To receive mail from the ` +
          'Internet, set POSTERN_MAIL_DOMAIN to a domain that you own.',
      );
    },
  };
}

const mxCheck = makeNameCheck('dns_mx', async ({ settings, outside: { resolver } }, domain) => {
  const host = mxHost(settings);
  const found = await resolver.mx(domain);
  const remedy = `Publish  ${domain}. MX 10 ${host}.`;
  if (isSilent(found)) return flag(`The MX of ${domain} could not be looked up${explain(found)}. ${SEE_DNS}`);
  if (found.kind !== 'answer') return flag(`${domain} has no MX record${explain(found)}. ${remedy}`);
  const exchanges = found.records.map(({ exchange }) => exchange.replace(/\.$/, ''));
  if (!exchanges.includes(host)) {
    return flag(
      `The MX of ${domain} is ${exchanges.join(', ') || 'none'}, not ${host}. ${remedy} Or set POSTERN_MX_HOST.`,
    );
  }
  const { addresses, fault, silent } = await findAddresses(resolver, host);
  if (silent) return flag(`The address of ${host} could not be looked up${fault}. ${SEE_DNS}`);
  if (fault !== null) {
    return flag(
      `${domain} has the MX ${host}, which has no address${fault}. Publish  ${host}. A <this machine's>.`,
    );
  }
  const hidden = addresses.filter((address) => judgeAddress(address, []) !== null);
  if (hidden.length > 0) {
    return flag(
      `${host} has the address ${hidden.join(', ')}, which is not reachable from the Internet. Publish the public address.`,
    );
  }
  return pass(`${domain} has the MX ${host}, at ${addresses.join(', ')}.`);
});

const spfCheck = makeNameCheck('dns_spf', async ({ settings, outside: { resolver } }, domain) => {
  const isSending = settings.outbound.way !== 'off';
  const { mechanisms, note } = adviseSpf(settings.outbound);
  const relay = mechanisms.filter((one) => one !== 'mx');
  const senders = ['mx', `a:${mxHost(settings)}`, ...relay];
  const wanted = isSending ? `v=spf1 ${senders.join(' ')} -all` : 'v=spf1 -all';
  const found = await resolver.txt(domain);
  const remedy = `Publish  ${domain}. TXT "${wanted}"`;
  if (isSilent(found)) {
    return flag(`The SPF record of ${domain} could not be looked up${explain(found)}. ${SEE_DNS}`);
  }
  const records = found.kind === 'answer' ? found.records.filter((text) => /^v=spf1( |$)/i.test(text)) : [];
  const [record = ''] = records;
  if (records.length > 1) {
    return flag(
      `${domain} has ${records.length} SPF records, so all are ignored (RFC 7208 4.5). Keep only one.`,
    );
  }
  if (!isSending) {
    return pass(
      record
        ? `${domain}: ${record}`
        : `${domain} has no SPF record, and sending is off. To keep others from sending as it: ${remedy}`,
    );
  }
  if (record === '') return flag(`${domain} has no SPF record, and sending is on. ${remedy}`);
  if (/^v=spf1\s+[-~?]?all$/i.test(record)) {
    return flag(`${domain}: ${record}, which allows no sender, and sending is on. ${remedy}`);
  }
  const isNamed = /\s\+?(include:|redirect=)/i.test(record) || relay.some((one) => record.includes(one));
  return pass(note === null || isNamed ? `${domain}: ${record}` : `${domain}: ${record}. ${note}`);
});

/** Nothing is signed for the mail domain itself: accounts send from domains of their own. */
const dkimCheck: Check = {
  name: 'dns_dkim',
  async run({ settings, store }) {
    if (settings.outbound.way === 'off') return pass('Nothing is signed: sending is off.');
    const unsigned = listUnsignedDomains(store, LISTED_MAX);
    if (unsigned.length === 0) {
      return pass(
        `The DKIM keys of all custom domains are published. Nothing is signed for ${settings.mail_domain}.`,
      );
    }
    const names = unsigned.map(({ name, dkim_status }) => `${name} (${dkim_status})`).join(', ');
    return flag(
      `The newest DKIM key is not in the DNS: ${names}. Publish the record that postern domain show DOM prints, then run ` +
        'postern domain check DOM.',
    );
  },
};

const ptrCheck = makeNameCheck('dns_ptr', async ({ settings, outside: { resolver } }) => {
  const host = mxHost(settings);
  const { addresses, fault, silent } = await findAddresses(resolver, host);
  if (silent) return flag(`The address of ${host} could not be looked up${fault}. ${SEE_DNS}`);
  if (fault !== null)
    return flag(`${host} has no address, so it has no reverse name either${fault}. See dns_mx.`);
  const wrong: string[] = [];
  for (const address of addresses) {
    const found = await resolver.ptr(address);
    if (found.kind !== 'answer') wrong.push(`${address} has no reverse name${explain(found)}`);
    else if (!found.records.includes(host))
      wrong.push(`${address} has the reverse name ${found.records.join(', ')}`);
  }
  if (wrong.length === 0) return pass(`${addresses.join(', ')} and ${host} point to each other.`);
  const mismatch = `${wrong.join('; ')}. It should be ${host}`;
  if (settings.outbound.way !== 'direct')
    return pass(`${mismatch}, but that matters only if you send mail directly.`);
  return flag(
    `${mismatch}, or many servers will refuse mail from here. Ask the provider of the address to set it.`,
  );
});

export const dnsChecks: readonly Check[] = [mxCheck, spfCheck, dkimCheck, ptrCheck];

async function findAddresses(
  resolver: PlatformServices['outside']['resolver'],
  host: string,
): Promise<{ addresses: string[]; fault: string | null; silent: boolean }> {
  const outcomes = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
  const addresses = outcomes.flatMap((outcome) => (outcome.kind === 'answer' ? outcome.records : []));
  if (addresses.length > 0) return { addresses, fault: null, silent: false };
  const silent = outcomes.find(isSilent);
  return { addresses, fault: explain(silent ?? outcomes[0]), silent: silent !== undefined };
}

/** Whether the DNS itself failed. The records are then unknown, so the remedy is not to publish any. */
function isSilent({ kind }: DnsOutcome<unknown>): boolean {
  return kind === 'servfail' || kind === 'refused' || kind === 'timeout';
}

export const SEE_DNS = 'Try again, and check the DNS servers of this machine or POSTERN_DNS_SERVERS.';

function explain(outcome: DnsOutcome<unknown>): string {
  if (outcome.kind === 'nxdomain') return ' (the name does not exist)';
  return 'reason' in outcome ? ` (${outcome.kind}: ${outcome.reason})` : '';
}
