/**
 * Every setting (docs/operations.md, Settings). `smtp_max_size` is POSTERN_SMTP_MAX_SIZE in the environment, `smtp_max_size` in the
 * TOML file and `--smtp-max-size` on the command line. Limits and plan caps are settings as well, by their own tables:
 * POSTERN_LIMIT_<NAME>, POSTERN_PLAN_<PLAN>_<CAP>.
 */
export interface SettingRule {
  type: SettingType;
  /** As somebody would write it; null for unset. */
  default: string | null;
  meaning: string;
  /** Minimum and maximum of an `integer` or a `size`. */
  bounds?: readonly [number, number];
  /** The values of a `choice`. */
  choices?: readonly string[];
  /** It is never printed, neither by `config` nor in a log. */
  secret?: true;
  /** Who reads it: `client` is the commands that call a server, such as `postern wait`. A server alone by default. */
  side?: 'client' | 'both';
}

export type SettingType =
  | 'text'
  | 'api_key'
  | 'path'
  | 'listen'
  | 'listens'
  | 'url'
  | 'base_url'
  | 'hostname'
  | 'servers'
  | 'networks'
  | 'origins'
  | 'size'
  | 'integer'
  | 'switch'
  | 'choice'
  | 'account'
  | 'inbox'
  | 'outbound'
  | 'smarthost'
  | 'recipients';

const KIB = 1024;
const GIB = 1024 ** 3;

export const settings = {
  data_dir: {
    type: 'path',
    default: './data',
    meaning: "folder of the store, the server's key and certificates; :memory: keeps nothing",
  },
  http_listen: {
    type: 'listen',
    default: '127.0.0.1:8025',
    meaning: 'host:port of HTTP; port 0 picks a free one',
  },
  smtp_listen: {
    type: 'listens',
    default: '127.0.0.1:1025',
    meaning: 'host:port of SMTP, one or more, comma-separated; tls://host:port for implicit TLS',
  },
  compat_listen: {
    type: 'listen',
    default: null,
    meaning:
      "host:port, on loopback, at which capture answers as Mailpit and MailHog do, for those tools' clients; off when unset",
  },
  base_url: {
    type: 'base_url',
    default: null,
    meaning:
      'public URL of HTTP, with the path under which a proxy serves it if there is one; derived from the HTTP address when unset',
  },
  mail_domain: { type: 'hostname', default: 'postern.test', meaning: 'the shared domain' },
  mx_host: {
    type: 'hostname',
    default: null,
    meaning: 'host name in mx_target and in the SMTP banner; mx.<mail domain> when unset',
  },
  dns_servers: {
    type: 'servers',
    default: null,
    meaning: "host[:port] of DNS servers, comma-separated; the system's when unset",
  },
  extra_ca_file: {
    type: 'path',
    default: null,
    side: 'both',
    meaning: 'PEM file of certificates to trust in addition to the built-in roots',
  },
  tls_cert: {
    type: 'path',
    default: null,
    meaning:
      'PEM certificate chain for STARTTLS, TLS and https; when unset, from the CA (acme) or self-signed',
  },
  tls_key: { type: 'path', default: null, meaning: 'PEM private key of the certificate' },
  acme: {
    type: 'switch',
    default: 'off',
    meaning:
      "get and renew the certificate from an ACME CA, for the base URL's host and the MX host; on accepts the CA's terms",
  },
  acme_email: {
    type: 'text',
    default: null,
    meaning: "address that the CA may write to; Let's Encrypt needs none",
  },
  acme_directory: {
    type: 'url',
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    meaning: "the CA's ACME directory, by https; trust a private CA with extra_ca_file",
  },
  acme_http_listen: {
    type: 'listen',
    default: '0.0.0.0:80',
    meaning: 'host:port at which the CA finds the answers to its challenges; the CA always asks on port 80',
  },
  http_tls: { type: 'switch', default: 'off', meaning: 'serve https on the HTTP address' },
  http_connections: {
    type: 'integer',
    default: '8192',
    bounds: [1, 1_000_000],
    meaning: 'open HTTP connections in total; never more than 60 % of the file descriptors',
  },
  http_connections_per_ip: {
    type: 'integer',
    default: '256',
    bounds: [1, 1_000_000],
    meaning: 'open HTTP connections per address (IPv6: per /64), loopback and trusted proxies excepted',
  },
  smtp_starttls: {
    type: 'choice',
    choices: ['auto', 'on', 'off'],
    default: 'auto',
    meaning:
      'offer STARTTLS; auto: always, but in capture only with a certificate (tls_cert), as mailers verify it',
  },
  smtp_auth_plain_networks: {
    type: 'networks',
    default: null,
    meaning:
      'networks besides loopback from which SMTP AUTH is accepted without TLS, so that keys travel readable',
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
    meaning: 'open SMTP connections in total',
  },
  smtp_connections_per_ip: {
    type: 'integer',
    default: '20',
    bounds: [1, 100_000],
    meaning: 'open SMTP connections per address (IPv6: per /64), loopback excepted',
  },
  smtp_connects_per_ip_per_minute: {
    type: 'integer',
    default: '60',
    bounds: [1, 1_000_000],
    meaning: 'new SMTP connections per minute and address, loopback excepted',
  },
  smtp_recipients_max: {
    type: 'integer',
    default: '100',
    bounds: [1, 10_000],
    meaning: 'recipients per message; further ones get 452',
  },
  smtp_bad_commands_max: {
    type: 'integer',
    default: '10',
    bounds: [1, 10_000],
    meaning: 'bad commands or unknown recipients after which an SMTP connection is closed',
  },
  smtp_idle_s: {
    type: 'integer',
    default: '60',
    bounds: [1, 3600],
    meaning: 'seconds of silence after which an SMTP connection is closed',
  },
  smtp_session_s: {
    type: 'integer',
    default: '600',
    bounds: [1, 86_400],
    meaning: 'longest SMTP session, seconds',
  },
  smtp_data_bytes_per_s: {
    type: 'integer',
    default: '500',
    bounds: [0, 1_000_000_000],
    meaning: 'slowest message transfer, bytes per second',
  },
  smtp_unfinished_max_size: {
    type: 'size',
    default: '64MiB',
    bounds: [1024 * KIB, 16 * GIB],
    meaning: 'memory for mail that is still arriving, over all connections; at the limit, senders wait',
  },
  limits: {
    type: 'switch',
    default: 'on',
    meaning: "off lifts every rate limit (but no size bound and no plan's cap)",
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
    meaning: 'share of the wait slots that Free and agent accounts may hold together',
  },
  trusted_proxies: {
    type: 'networks',
    default: null,
    meaning: 'networks of proxies whose X-Forwarded-For is trusted',
  },
  webhook_allow_networks: {
    type: 'networks',
    default: null,
    meaning: 'non-public networks that webhooks may reach, over plain http too',
  },
  outbound: {
    type: 'outbound',
    default: 'off',
    secret: true,
    meaning: "sending: off, direct (to the recipient's MX), or a smarthost smtp://user:pass@host:port",
  },
  outbound_hold_hours: {
    type: 'integer',
    default: '72',
    bounds: [1, 720],
    meaning: "hours for which a member's email waits for an owner's approval before it is rejected",
  },
  outbound_recipients_max: {
    type: 'integer',
    default: '10',
    bounds: [1, 100],
    meaning: 'recipients per outbound email: to, cc and bcc together',
  },
  outbound_port: {
    type: 'integer',
    default: '25',
    bounds: [1, 65_535],
    meaning: 'port for direct delivery',
  },
  outbound_allow_networks: {
    type: 'networks',
    default: null,
    meaning: 'non-public networks that direct delivery may reach',
  },
  disposable_file: {
    type: 'path',
    default: null,
    meaning:
      'file of throwaway domains to add (domain, mx:host) or to except (!domain); reread when it changes',
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
    meaning: 'port for SMTP probes',
  },
  probe_allow_networks: {
    type: 'networks',
    default: null,
    meaning: 'non-public networks that an SMTP probe may reach',
  },
  oidc_issuer: {
    type: 'text',
    default: null,
    meaning: 'sign-in with OpenID Connect: the issuer URL of the identity provider; off when unset',
  },
  oidc_client_id: { type: 'text', default: null, meaning: "Postern's client id at the identity provider" },
  oidc_client_secret: {
    type: 'text',
    default: null,
    secret: true,
    meaning: 'its client secret; unset for a public client',
  },
  oidc_allowed_domains: {
    type: 'recipients',
    default: null,
    meaning:
      'email domains, or single addresses, that may sign in with OpenID Connect; unset: only members that are already known',
  },
  oidc_owner_group: {
    type: 'text',
    default: null,
    meaning: 'group (claim groups) whose people are owners of oidc_account, and all others its members',
  },
  oidc_account: {
    type: 'account',
    default: null,
    meaning: "id of the account that new people join with OpenID Connect; the operator's own when unset",
  },
  passwords: {
    type: 'switch',
    default: 'on',
    meaning: 'off refuses every password: people sign in with a passkey, OpenID Connect, or a one-time link',
  },
  signup: {
    type: 'choice',
    choices: ['closed', 'open'],
    default: 'closed',
    meaning: 'open lets anyone sign up in the dashboard',
  },
  agent_registration: { type: 'switch', default: 'on', meaning: 'POST /agents/register; off answers 404' },
  authentication: {
    type: 'choice',
    choices: ['public', 'all', 'off'],
    default: 'public',
    meaning: 'which mail gets SPF, DKIM and DMARC checks: public (from public addresses), all, or off',
  },
  postmaster_inbox: {
    type: 'inbox',
    default: null,
    meaning: 'id of the inbox that receives mail to postmaster@ and abuse@',
  },
  without_accounts: {
    type: 'choice',
    choices: ['refuse', 'defer'],
    default: 'refuse',
    meaning:
      'what mail gets while the store has no account: refuse (550), or defer (451), so that senders keep it until the right disk is mounted',
  },
  migration_copy: {
    type: 'switch',
    default: 'on',
    meaning: 'copy the store within the data folder before migrating its schema',
  },
  checkpoints: {
    type: 'choice',
    choices: ['own', 'litestream'],
    default: 'own',
    meaning: 'who checkpoints the write-ahead log: Postern, or Litestream, which copies it first',
  },
  doctor_mail_domain: {
    type: 'hostname',
    default: 'gmail.com',
    meaning: 'domain whose mail servers the doctor calls to check that outgoing port 25 is open',
  },
  retention_days: {
    type: 'integer',
    default: '0',
    bounds: [0, 36_500],
    meaning: 'days after which messages are erased on every plan; 0: as the plan says',
  },
  audit_days: {
    type: 'integer',
    default: '365',
    bounds: [0, 36_500],
    meaning: 'days after which entries of the audit log are erased; 0: never',
  },
  store_max_size: {
    type: 'size',
    default: '0',
    bounds: [0, 1024 * 1024 * GIB],
    meaning: 'bytes of stored mail above which the oldest messages are erased; 0: unbounded',
  },
  disk_floor: {
    type: 'size',
    default: '256MiB',
    bounds: [0, 1024 * GIB],
    meaning: 'free disk space below which mail is answered 452',
  },
  log: {
    type: 'choice',
    choices: ['pretty', 'json'],
    default: null,
    meaning: 'log format; pretty on a terminal, otherwise json',
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
    meaning: 'networks that may read /metrics; others get 404',
  },
  capture_open: {
    type: 'switch',
    default: 'on',
    meaning: 'off makes capture ask for its API key on this machine too',
  },
  trap_networks: {
    type: 'networks',
    default: null,
    meaning: 'networks besides loopback that may reach capture; it can then listen on other addresses',
  },
  mcp: {
    type: 'switch',
    default: 'on',
    meaning: 'off removes POST /mcp, at which agents use the API as tools',
  },
  cors_origins: {
    type: 'origins',
    default: null,
    meaning: 'origins whose pages may call the API from a browser, comma-separated; they need an API key',
  },
  release_smarthost: {
    type: 'smarthost',
    default: null,
    secret: true,
    meaning:
      'smtp://user:pass@host:port through which capture releases single mails to release_allow; off when unset',
  },
  release_allow: {
    type: 'recipients',
    default: null,
    meaning:
      'addresses and domains that mail may be released to from capture, comma-separated; nobody when unset',
  },
  capture_api_key: {
    type: 'api_key',
    default: null,
    secret: true,
    meaning: 'API key for capture mode; random when unset',
  },
  url: {
    type: 'url',
    default: 'http://127.0.0.1:8025',
    side: 'client',
    meaning: 'server that wait, send, search, watch, ready, fault, rule and mcp call',
  },
  api_key: {
    type: 'api_key',
    default: null,
    secret: true,
    side: 'client',
    meaning: 'API key for that server; a capture on this machine needs none',
  },
  smtp: {
    type: 'listen',
    default: null,
    side: 'client',
    meaning: "host:port that send and sendmail submit mail to; the server's SMTP address when not set",
  },
  releases_url: {
    type: 'url',
    default: null,
    side: 'client',
    meaning: 'folder of the newest release, which only postern upgrade --check asks',
  },
} as const satisfies Record<string, SettingRule>;

export type SettingName = keyof typeof settings;
