import { judgeAddress } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { smarthostOf, Ways } from '../outbound/sending/way.ts';
import { bad, type Check, type CheckVerdict, good, reasonOf } from './check.ts';
import { talk, type Where } from './talk.ts';

const SMTP_PORT = 25;
/** Exchangers to try, since one may be down. */
const TRIED_MAX = 3;

/** Whether the network lets mail out: many providers block port 25 until asked to open it. */
export const outboundCheck: Check = {
  name: 'outbound_port_25',
  async run(services) {
    const { settings } = services;
    const { outbound } = settings;
    if (outbound.way === 'smarthost') return smarthost(services, outbound.url);
    if (outbound.way === 'direct') return direct(services, settings.outbound_port);
    if (settings.verify_full) return direct(services, settings.probe_port);
    return good('Not tried: sending is off (POSTERN_OUTBOUND).');
  },
};

async function smarthost(services: PlatformServices, url: string): Promise<CheckVerdict> {
  const server = smarthostOf(url);
  const { host: name, port, security } = server;
  // Looked up as for sending: with the configured DNS servers.
  const found = await new Ways(services, null).addressesOf(server);
  if (found.kind !== 'addresses') {
    return bad(
      `The smarthost ${name}:${port} can't be reached: ${found.reason}. Check POSTERN_OUTBOUND and the DNS servers.`,
    );
  }
  const faults: string[] = [];
  for (const { address } of found.addresses) {
    const fault = await greeting({ host: address, port, name, tls: security === 'from_the_start' });
    if (fault === null) return good(`The smarthost ${name}:${port} answers.`);
    faults.push(fault);
  }
  return bad(`The smarthost ${name}:${port} does not answer (${faults.join('; ')}). Check POSTERN_OUTBOUND.`);
}

async function direct(
  { settings, outside: { resolver } }: PlatformServices,
  port: number,
): Promise<CheckVerdict> {
  const domain = settings.doctor_mail_domain;
  const found = await resolver.mx(domain);
  if (found.kind !== 'answer') {
    return bad(
      `The mail servers of ${domain} could not be looked up (${found.kind}), so nothing was tried. Check the DNS.`,
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
    const fault = await greeting({ host, port });
    if (fault === null) return good(`${exchange} (${host}:${port}) of ${domain} answers.`);
    faults.push(`${exchange} (${host}:${port}): ${fault}`);
  }
  return bad(
    `No mail server of ${domain} could be reached: ${faults.join('; ') || 'none has a public address'}. Probably ` +
      `outgoing connections to port ${port === SMTP_PORT ? 25 : port} are blocked: ask the provider to open it, or set ` +
      'POSTERN_OUTBOUND to a smarthost.',
  );
}

async function greeting(where: Where): Promise<string | null> {
  try {
    await talk(where, ({ say }) => say(null, 220));
    return null;
  } catch (fault) {
    return reasonOf(fault);
  }
}
