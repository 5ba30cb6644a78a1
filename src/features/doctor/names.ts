/** Checks the mail domain's DNS: whether mail finds this server, and which servers may send for the domain. */
import { mxHost } from '../../platform/core/settings.ts';
import { isPrivateName } from '../../platform/mail/domain-name.ts';
import type { DnsOutcome } from '../../platform/net/dns.ts';
import { judgeAddress } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { spfAdvice } from '../domains/spf.ts';
import { bad, type Check, type CheckVerdict, good } from './check.ts';
import { unsignedDomains } from './sql.ts';

/** At most this many domains are listed in one line. */
const LISTED_MAX = 5;

function named(
  name: string,
  look: (services: PlatformServices, domain: string) => Promise<CheckVerdict>,
): Check {
  return {
    name,
    async run(services) {
      const { mail_domain } = services.settings;
      if (!isPrivateName(mail_domain)) return look(services, mail_domain);
      return good(
        `${mail_domain} is a name for tests and private networks, so its DNS is not checked. To get mail from the ` +
          'Internet, set POSTERN_MAIL_DOMAIN to a domain that you own.',
      );
    },
  };
}

const mxCheck = named('dns_mx', async ({ settings, outside: { resolver } }, domain) => {
  const host = mxHost(settings);
  const found = await resolver.mx(domain);
  const remedy = `Publish  ${domain}. MX 10 ${host}.`;
  if (isSilent(found)) return bad(`The MX of ${domain} could not be looked up${why(found)}. ${SEE_DNS}`);
  if (found.kind !== 'answer') return bad(`No MX of ${domain} was found${why(found)}. ${remedy}`);
  const exchanges = found.records.map(({ exchange }) => exchange.replace(/\.$/, ''));
  if (!exchanges.includes(host)) {
    return bad(
      `The MX of ${domain} is ${exchanges.join(', ') || 'none'}, not ${host}. ${remedy} Or set POSTERN_MX_HOST.`,
    );
  }
  const { addresses, fault, silent } = await addressesOf(resolver, host);
  if (silent) return bad(`The address of ${host} could not be looked up${fault}. ${SEE_DNS}`);
  if (fault !== null) {
    return bad(
      `${domain} has the MX ${host}, which has no address${fault}. Publish  ${host}. A <this machine's>.`,
    );
  }
  const hidden = addresses.filter((address) => judgeAddress(address, []) !== null);
  if (hidden.length > 0) {
    return bad(
      `${host} is ${hidden.join(', ')}, which is not reachable from the Internet. Publish the public address.`,
    );
  }
  return good(`${domain} has the MX ${host}, at ${addresses.join(', ')}.`);
});

const spfCheck = named('dns_spf', async ({ settings, outside: { resolver } }, domain) => {
  const isSending = settings.outbound.way !== 'off';
  const { mechanisms, note } = spfAdvice(settings.outbound);
  const relay = mechanisms.filter((one) => one !== 'mx');
  const senders = ['mx', `a:${mxHost(settings)}`, ...relay];
  const wanted = isSending ? `v=spf1 ${senders.join(' ')} -all` : 'v=spf1 -all';
  const found = await resolver.txt(domain);
  const remedy = `Publish  ${domain}. TXT "${wanted}"`;
  if (isSilent(found)) {
    return bad(`The SPF record of ${domain} could not be looked up${why(found)}. ${SEE_DNS}`);
  }
  const records = found.kind === 'answer' ? found.records.filter((text) => /^v=spf1( |$)/i.test(text)) : [];
  const [record = ''] = records;
  if (records.length > 1) {
    return bad(
      `${domain} has ${records.length} SPF records, so all are ignored (RFC 7208 4.5). Keep only one.`,
    );
  }
  if (!isSending) {
    return good(
      record
        ? `${domain}: ${record}`
        : `None; sending is off. To keep others from sending as ${domain}: ${remedy}`,
    );
  }
  if (record === '') return bad(`${domain} has no SPF record, and sending is on. ${remedy}`);
  if (/^v=spf1\s+[-~?]?all$/i.test(record)) {
    return bad(`${domain}: ${record}, which allows no sender, and sending is on. ${remedy}`);
  }
  const isNamed = /\s\+?(include:|redirect=)/i.test(record) || relay.some((one) => record.includes(one));
  return good(note === null || isNamed ? `${domain}: ${record}` : `${domain}: ${record}. ${note}`);
});

/** The mail domain itself signs nothing. Accounts send from domains of their own. */
const dkimCheck: Check = {
  name: 'dns_dkim',
  async run({ settings, store }) {
    if (settings.outbound.way === 'off') return good('Nothing is signed: sending is off.');
    const unsigned = unsignedDomains(store, LISTED_MAX);
    if (unsigned.length === 0) {
      return good(`Nothing is signed for ${settings.mail_domain}; the keys of custom domains are published.`);
    }
    const names = unsigned.map(({ name, dkim_status }) => `${name} (${dkim_status})`).join(', ');
    return bad(
      `The newest DKIM key is not in the DNS: ${names}. Publish what postern domain check DOM shows, then run it again.`,
    );
  },
};

const ptrCheck = named('dns_ptr', async ({ settings, outside: { resolver } }) => {
  const host = mxHost(settings);
  const { addresses, fault, silent } = await addressesOf(resolver, host);
  if (silent) return bad(`The address of ${host} could not be looked up${fault}. ${SEE_DNS}`);
  if (fault !== null)
    return bad(`${host} has no address, so there is nothing to look up${fault}. See dns_mx.`);
  const wrong: string[] = [];
  for (const address of addresses) {
    const found = await resolver.ptr(address);
    if (found.kind !== 'answer') wrong.push(`${address} has no reverse name${why(found)}`);
    else if (!found.records.includes(host)) wrong.push(`${address} is ${found.records.join(', ')}`);
  }
  if (wrong.length === 0) return good(`${addresses.join(', ')} is ${host} in both directions.`);
  const mismatch = `${wrong.join('; ')}, not ${host}`;
  if (settings.outbound.way !== 'direct')
    return good(`${mismatch}. This only matters if you send mail directly.`);
  return bad(
    `${mismatch}: many servers refuse mail from it. Ask the provider of the address to set its reverse name.`,
  );
});

export const dnsChecks: readonly Check[] = [mxCheck, spfCheck, dkimCheck, ptrCheck];

async function addressesOf(
  resolver: PlatformServices['outside']['resolver'],
  host: string,
): Promise<{ addresses: string[]; fault: string | null; silent: boolean }> {
  const outcomes = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
  const addresses = outcomes.flatMap((outcome) => (outcome.kind === 'answer' ? outcome.records : []));
  if (addresses.length > 0) return { addresses, fault: null, silent: false };
  const silent = outcomes.find(isSilent);
  return { addresses, fault: why(silent ?? outcomes[0]), silent: silent !== undefined };
}

/** The DNS itself failed. Its content is unknown, so there is nothing to publish. */
function isSilent({ kind }: DnsOutcome<unknown>): boolean {
  return kind === 'servfail' || kind === 'refused' || kind === 'timeout';
}

const SEE_DNS = 'Try again, and check the DNS servers of this machine or POSTERN_DNS_SERVERS.';

function why(outcome: DnsOutcome<unknown>): string {
  if (outcome.kind === 'nxdomain') return ' (the name does not exist)';
  return 'reason' in outcome ? ` (${outcome.kind}: ${outcome.reason})` : '';
}
