import { readReason } from '../../platform/core/thrown.ts';
import { judgeAddress } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { findServerAddresses, parseSmarthost } from '../outbound/sending/server.ts';
import { type Check, type CheckVerdict, flag, pass } from './check.ts';
import { SEE_DNS } from './dns.ts';
import { talk, type Where } from './talk.ts';

/** How many mail servers are tried, since one may be down. */
const TRIED_MAX = 3;

/** Whether the network lets mail out: many providers block port 25 until asked to open it. */
export const outboundCheck: Check = {
  name: 'outbound_port_25',
  async run(services) {
    const { settings } = services;
    const { outbound } = settings;
    if (outbound.way === 'smarthost') return checkSmarthost(services, outbound.url);
    if (outbound.way === 'direct') return checkDirect(services, settings.outbound_port);
    if (settings.verify_full) return checkDirect(services, settings.probe_port);
    return pass('Not checked: sending is off (POSTERN_OUTBOUND).');
  },
};

async function checkSmarthost(services: PlatformServices, url: string): Promise<CheckVerdict> {
  const server = parseSmarthost(url);
  const { host: name, port, security } = server;
  // Looked up as when sending, with the configured DNS servers.
  const found = await findServerAddresses(services, server);
  if (found.kind !== 'addresses') {
    return flag(
      `The smarthost ${name}:${port} can't be reached: ${found.reason}. Check POSTERN_OUTBOUND and the DNS servers.`,
    );
  }
  const faults: string[] = [];
  for (const { address } of found.addresses) {
    const fault = await tryGreeting({ host: address, port, name, tls: security === 'from_the_start' });
    if (fault === null) return pass(`The smarthost ${name}:${port} answers.`);
    faults.push(fault);
  }
  return flag(
    `The smarthost ${name}:${port} does not answer (${faults.join('; ')}). Check POSTERN_OUTBOUND.`,
  );
}

async function checkDirect(
  { settings, outside: { resolver } }: PlatformServices,
  port: number,
): Promise<CheckVerdict> {
  const domain = settings.doctor_mail_domain;
  const found = await resolver.mx(domain);
  if (found.kind !== 'answer') {
    return flag(
      `The mail servers of ${domain} could not be looked up (${found.kind}), so port ${port} was not tried. ${SEE_DNS}`,
    );
  }
  const hosts = found.records.toSorted((one, other) => one.priority - other.priority).slice(0, TRIED_MAX);
  const faults: string[] = [];
  for (const { exchange } of hosts) {
    const outcome = await resolver.a(exchange);
    const allow = settings.outbound_allow_networks ?? [];
    const [host] = (outcome.kind === 'answer' ? outcome.records : []).filter(
      (address) => judgeAddress(address, allow) === null,
    );
    if (host === undefined) continue;
    const fault = await tryGreeting({ host, port });
    if (fault === null) return pass(`${exchange} (${host}:${port}) of ${domain} answers.`);
    faults.push(`${exchange} (${host}:${port}): ${fault}`);
  }
  return flag(
    `No mail server of ${domain} could be reached: ${faults.join('; ') || 'none has a public address'}. Outgoing ` +
      `connections to port ${port} are probably blocked: ask the provider to open it, or set POSTERN_OUTBOUND to a smarthost.`,
  );
}

async function tryGreeting(where: Where): Promise<string | null> {
  try {
    await talk(where, ({ say }) => say(null, 220));
    return null;
  } catch (fault) {
    return readReason(fault);
  }
}
