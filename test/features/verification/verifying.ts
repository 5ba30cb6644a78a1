/** A server that verifies addresses, with a DNS server, and one mail server for all domains with an MX. */
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { type ExchangePlan, type MailExchange, startMailExchange } from '../../peers/mail-exchange.ts';
import {
  type Holder,
  type Reply,
  type RunningAppliance,
  type StartOptions,
  startAppliance,
} from '../../start.ts';

export interface Verifying extends AsyncDisposable {
  appliance: RunningAppliance;
  dns: DnsServer;
  exchange: MailExchange;
  holder: Holder;
  /** Creates a domain whose mail goes to the exchange. */
  domain(name: string, addresses?: string[]): string;
  verify(body: unknown, key?: string): Promise<Reply>;
  batch(body: unknown, key?: string): Promise<Reply>;
  upload(file: File | string, fields?: Record<string, string>, key?: string): Promise<Reply>;
  /** The result for one address. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
  result(email: string, mode?: 'safe' | 'full'): Promise<any>;
}

export async function startVerifying(
  options: StartOptions & { plan?: ExchangePlan } = {},
): Promise<Verifying> {
  const [dns, exchange] = await Promise.all([startDnsServer(), startMailExchange(options.plan)]);
  const appliance = await startAppliance({
    ...options,
    settings: {
      dns_servers: `127.0.0.1:${dns.port}`,
      verify_full: 'on',
      probe_port: String(exchange.port),
      probe_allow_networks: '127.0.0.0/8',
      ...options.settings,
    },
  });
  const holder = await appliance.holder();
  const post = (path: string, body: unknown, key = holder.key) =>
    appliance.request('POST', `/api/v1${path}`, { key, body });
  return {
    appliance,
    dns,
    exchange,
    holder,
    domain(name, addresses = ['127.0.0.1']) {
      dns.set(name, 'MX', { records: [{ type: 'MX', data: `10 mx.${name}` }] });
      dns.setAddresses(`mx.${name}`, ...addresses);
      return name;
    },
    verify: (body, key) => post('/verify', body, key),
    batch: (body, key) => post('/verify/batch', body, key),
    async upload(file, fields = {}, key = holder.key) {
      const form = new FormData();
      form.set('file', file);
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      const body = new Response(form);
      const type = body.headers.get('content-type') ?? '';
      return appliance.request('POST', '/api/v1/verify/batch', {
        key,
        body: new Uint8Array(await body.arrayBuffer()),
        headers: { 'content-type': type },
      });
    },
    async result(email, mode = 'safe') {
      const reply = await post('/verify', { email, mode });
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
      return reply.json.data;
    },
    async [Symbol.asyncDispose]() {
      await appliance[Symbol.asyncDispose]();
      await Promise.all([dns[Symbol.asyncDispose](), exchange[Symbol.asyncDispose]()]);
    },
  };
}
