/**
 * Every setting (docs/operations.md, Settings): `smtp_max_size` is POSTERN_SMTP_MAX_SIZE in the environment,
 * `smtp_max_size` in the TOML file and `--smtp-max-size` on the command line. Limits and plan caps have
 * theirs from their own tables (POSTERN_LIMIT_<NAME>, POSTERN_PLAN_<PLAN>_<CAP>).
 * `default` is text in the same form as a value from outside; null means not set.
 */
export interface SettingRule {
  type: SettingType;
  default: string | null;
  meaning: string;
  /** For `integer` and `size`: the smallest and the largest. */
  bounds?: readonly [number, number];
  /** For `choice`. */
  choices?: readonly string[];
  /** Never printed, by `config` or in a log. */
  secret?: true;
}

export type SettingType =
  | 'text'
  | 'path'
  | 'listen'
  | 'listens'
  | 'url'
  | 'hostname'
  | 'servers'
  | 'networks'
  | 'size'
  | 'integer'
  | 'switch'
  | 'choice'
  | 'inbox'
  | 'outbound';

const KIB = 1024;
const GIB = 1024 ** 3;

export const settings = {
  data_dir: {
    type: 'path',
    default: './data',
    meaning: "where the store, the server's key and certificates live; :memory: keeps nothing",
  },
  http_listen: {
    type: 'listen',
    default: '127.0.0.1:8025',
    meaning: 'host:port of HTTP; port 0 takes a free one',
  },
  smtp_listen: {
    type: 'listens',
    default: '127.0.0.1:1025',
    meaning: 'host:port of SMTP, one or more, comma-separated; tls://host:port for implicit TLS',
  },
  base_url: {
    type: 'url',
    default: null,
    meaning: 'how clients reach HTTP; from the HTTP address when not set',
  },
  mail_domain: { type: 'hostname', default: 'postern.test', meaning: 'the shared domain' },
  mx_host: {
    type: 'hostname',
    default: null,
    meaning: 'name in mx_target and in the SMTP banner; mx.<mail domain> when not set',
  },
  dns_servers: {
    type: 'servers',
    default: null,
    meaning: "host[:port] of DNS servers, comma-separated; the system's when not set",
  },
  extra_ca_file: {
    type: 'path',
    default: null,
    meaning: 'PEM file of certificates trusted besides the built-in roots',
  },
  tls_cert: {
    type: 'path',
    default: null,
    meaning: 'PEM certificate chain for STARTTLS, TLS and https; self-signed when not set',
  },
  tls_key: { type: 'path', default: null, meaning: 'PEM private key of the certificate' },
  http_tls: { type: 'switch', default: 'off', meaning: 'serve https on the HTTP address' },
  http_connections: {
    type: 'integer',
    default: '8192',
    bounds: [1, 1_000_000],
    meaning: 'HTTP connections in all; never more than 60 % of the file descriptors',
  },
  http_connections_per_ip: {
    type: 'integer',
    default: '256',
    bounds: [1, 1_000_000],
    meaning: 'HTTP connections of one address (IPv6: /64) beyond loopback and trusted proxies',
  },
  smtp_max_size: {
    type: 'size',
    default: '25MiB',
    bounds: [64 * KIB, GIB / 4],
    meaning: 'largest message, announced by SIZE',
  },
  smtp_connections: {
    type: 'integer',
    default: '500',
    bounds: [1, 100_000],
    meaning: 'SMTP connections in all',
  },
  smtp_connections_per_ip: {
    type: 'integer',
    default: '20',
    bounds: [1, 100_000],
    meaning: 'SMTP connections of one address (IPv6: /64) beyond loopback',
  },
  smtp_connects_per_ip_per_minute: {
    type: 'integer',
    default: '60',
    bounds: [1, 1_000_000],
    meaning: 'new SMTP connections a minute of one address beyond loopback',
  },
  smtp_recipients_max: {
    type: 'integer',
    default: '100',
    bounds: [1, 10_000],
    meaning: 'recipients of one message; the rest get 452',
  },
  smtp_bad_commands_max: {
    type: 'integer',
    default: '10',
    bounds: [1, 10_000],
    meaning: 'bad commands or unknown recipients that end an SMTP connection',
  },
  smtp_idle_s: {
    type: 'integer',
    default: '60',
    bounds: [1, 3600],
    meaning: 'seconds of silence that end an SMTP connection',
  },
  smtp_session_s: {
    type: 'integer',
    default: '600',
    bounds: [1, 86_400],
    meaning: 'seconds that an SMTP session may last',
  },
  smtp_data_bytes_per_s: {
    type: 'integer',
    default: '500',
    bounds: [0, 1_000_000_000],
    meaning: 'slowest message transfer, bytes a second',
  },
  smtp_unfinished_max_size: {
    type: 'size',
    default: '64MiB',
    bounds: [1024 * KIB, 16 * GIB],
    meaning: 'memory for mail that is still coming in, of all connections; beyond it they wait',
  },
  limits: {
    type: 'switch',
    default: 'on',
    meaning: "off lifts every rate limit (never a size bound or a plan's cap)",
  },
  wait_slots: {
    type: 'integer',
    default: '16',
    bounds: [0, 1_000_000],
    meaning: 'waits and streams open at the same time, service-wide',
  },
  wait_slots_free: {
    type: 'integer',
    default: '6',
    bounds: [0, 1_000_000],
    meaning: 'how many of the wait slots Free and agent accounts may hold together',
  },
  trusted_proxies: { type: 'networks', default: null, meaning: 'networks whose X-Forwarded-For counts' },
  webhook_allow_networks: {
    type: 'networks',
    default: null,
    meaning: 'networks that webhooks may reach although they are not public; plain http too, to them only',
  },
  outbound: {
    type: 'outbound',
    default: 'off',
    secret: true,
    meaning: "sending: off, direct (to the recipient's MX), or a smarthost smtp://user:pass@host:port",
  },
  outbound_recipients_max: {
    type: 'integer',
    default: '10',
    bounds: [1, 100],
    meaning: 'recipients of one outbound email, to, cc and bcc together',
  },
  outbound_port: {
    type: 'integer',
    default: '25',
    bounds: [1, 65_535],
    meaning: 'port of a direct delivery',
  },
  outbound_allow_networks: {
    type: 'networks',
    default: null,
    meaning: 'networks that a direct delivery may reach although they are not public',
  },
  disposable_file: {
    type: 'path',
    default: null,
    meaning:
      'list of throwaway domains to add (domain, mx:host) and to except (!domain); read when it changes',
  },
  verify_full: {
    type: 'switch',
    default: 'off',
    meaning: 'full verification of addresses, by an SMTP probe',
  },
  probe_port: {
    type: 'integer',
    default: '25',
    bounds: [1, 65_535],
    meaning: 'port to which a probe connects',
  },
  probe_allow_networks: {
    type: 'networks',
    default: null,
    meaning: 'networks that a probe may reach although they are not public',
  },
  signup: {
    type: 'choice',
    choices: ['closed', 'open'],
    default: 'closed',
    meaning: 'open lets anyone make an account in the dashboard',
  },
  agent_registration: { type: 'switch', default: 'on', meaning: 'POST /agents/register; off gives 404' },
  authentication: {
    type: 'choice',
    choices: ['public', 'all', 'off'],
    default: 'public',
    meaning: 'whose mail has SPF, DKIM and DMARC checked: public (from public addresses), all, or off',
  },
  postmaster_inbox: {
    type: 'inbox',
    default: null,
    meaning: 'id of the inbox that gets mail to postmaster@ and abuse@',
  },
  migration_copy: {
    type: 'switch',
    default: 'on',
    meaning: 'keep a copy of the store in the data folder before it is brought to a new schema',
  },
  checkpoints: {
    type: 'choice',
    choices: ['own', 'litestream'],
    default: 'own',
    meaning: 'who folds the write-ahead log into the store: Postern, or Litestream, which copies it first',
  },
  doctor_mail_domain: {
    type: 'hostname',
    default: 'gmail.com',
    meaning: 'whose mail servers the doctor calls, to see whether port 25 is open on the way out',
  },
  retention_days: {
    type: 'integer',
    default: '0',
    bounds: [0, 36_500],
    meaning: 'days after which messages are erased whatever the plan says; 0: as the plan says',
  },
  store_max_size: {
    type: 'size',
    default: '0',
    bounds: [0, 1024 * 1024 * GIB],
    meaning: 'bytes of mail in the store above which the oldest messages are erased; 0: no bound',
  },
  disk_floor: {
    type: 'size',
    default: '256MiB',
    bounds: [0, 1024 * GIB],
    meaning: 'free space under which mail is answered 452',
  },
  log: {
    type: 'choice',
    choices: ['pretty', 'json'],
    default: null,
    meaning: 'log form; pretty on a terminal, else json',
  },
  log_level: {
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    meaning: 'lowest level that is logged',
  },
  metrics: { type: 'switch', default: 'off', meaning: 'on serves /metrics, Prometheus text' },
  metrics_networks: {
    type: 'networks',
    default: '127.0.0.0/8,::1/128',
    meaning: 'networks whose clients may read /metrics; others get 404',
  },
  capture_api_key: {
    type: 'text',
    default: null,
    secret: true,
    meaning: 'API key that capture mode takes, instead of a random one',
  },
} as const satisfies Record<string, SettingRule>;

export type SettingName = keyof typeof settings;
