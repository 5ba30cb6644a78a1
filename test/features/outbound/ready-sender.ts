/** An account with a verified, signing domain, set up with the commands, the API and the DNS as a user would. */
import type { DnsServer } from '../../peers/dns-server.ts';
import { setExchanger } from './sending-server.ts';

/** Creates an account with a verified domain that signs. Returns the owner’s key. */
export async function readySender(
  http: string,
  run: (...args: string[]) => Promise<Record<string, string>>,
  dns: DnsServer,
  domain: string,
): Promise<string> {
  const email = 'sender@example.org';
  const { api_key = '' } = await run('account', 'create', '--email', email);
  // biome-ignore lint/suspicious/noExplicitAny: a domain, as the wire has it.
  const call = async (path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(`${http}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { data } = (await answer.json()) as { data?: unknown };
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
    return data;
  };
  const created = await call('/domains', { name: domain });
  dns.set(created.verification_txt_host, 'TXT', {
    records: [{ type: 'TXT', data: [created.verification_token] }],
  });
  setExchanger(dns, domain, `10 ${created.mx_target}`);
  await call(`/domains/${created.id}/verify`);
  const { dkim_selector, dkim_public_key_txt } = await call(`/domains/${created.id}/sending_setup`);
  dns.set(`${dkim_selector}._domainkey.${domain}`, 'TXT', {
    records: [{ type: 'TXT', data: (dkim_public_key_txt as string).match(/.{1,200}/g)! }],
  });
  await run('domain', 'check', domain);
  return api_key;
}
