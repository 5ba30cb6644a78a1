import { describe, expect, test } from 'bun:test';
import {
  type GivenSettings,
  knobs,
  mxHost,
  SettingsFault,
  settingsFrom,
} from '../../../src/platform/core/settings.ts';

function listFaults(given: GivenSettings): readonly string[] {
  try {
    settingsFrom(given);
  } catch (fault) {
    if (fault instanceof SettingsFault) return fault.faults;
    throw fault;
  }
  return [];
}

describe('the sources of a setting', () => {
  test('the command line overrides the environment, which overrides the file, which overrides the default', () => {
    const toml = { mail_domain: 'file.test', wait_slots: 3, log_level: 'debug', disk_floor: '1GiB' };
    const env = { POSTERN_MAIL_DOMAIN: 'env.test', POSTERN_WAIT_SLOTS: '4' };
    const { settings, sources } = settingsFrom({ toml, env, cli: { mail_domain: 'cli.test' } });
    expect(settings.mail_domain).toBe('cli.test');
    expect(settings.wait_slots).toBe(4);
    expect(settings.disk_floor).toBe(1024 ** 3);
    expect(settings.smtp_max_size).toBe(25 * 1024 ** 2);
    expect(sources.mail_domain).toEqual({ source: 'command line', text: 'cli.test' });
    expect(sources.wait_slots?.source).toBe('environment');
    expect(sources.log_level?.source).toBe('file');
    expect(sources.log?.source).toBe('default');
  });

  test('the file may use its own lists, numbers and booleans', () => {
    const { settings } = settingsFrom({
      toml: { limits: false, trusted_proxies: ['10.0.0.0/8', '::1'], wait_slots: 9 },
    });
    expect(settings.limits).toBe(false);
    expect(settings.wait_slots).toBe(9);
    expect(settings.trusted_proxies).toEqual([
      { address: '10.0.0.0', prefix: 8 },
      { address: '::1', prefix: 128 },
    ]);
  });

  test.each([
    ['http_listen', ['127.0.0.1:0']],
    ['http_listen', 8025],
    ['smtp_listen', [1025]],
    ['smtp_listen', [['127.0.0.1:1']]],
    ['smtp_listen', []],
    ['mail_domain', 5],
    ['wait_slots', true],
    ['wait_slots', 1.5],
    ['limits', 1],
    ['log', false],
    ['outbound', true],
    ['smtp_max_size', ['25MiB']],
    ['base_url', new Date()],
  ] as [string, unknown][])('the file may not set %s to %p', (name, value) => {
    const faults = listFaults({ toml: { [name]: value } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toStartWith(`${name} `);
  });

  test('an empty variable resets a setting of the file, where empty is a value', () => {
    const given = {
      toml: { postmaster_inbox: `inbox_${'1'.repeat(32)}` },
      env: { POSTERN_POSTMASTER_INBOX: '' },
    };
    expect(settingsFrom(given).settings.postmaster_inbox).toBeNull();
    expect(listFaults({ env: { POSTERN_MAIL_DOMAIN: '', POSTERN_LIMITS: ' ' } })).toEqual([
      'POSTERN_MAIL_DOMAIN must not be empty',
      'POSTERN_LIMITS must not be empty',
    ]);
  });

  test('every limit and every cap is a setting', () => {
    const { limits, plans } = settingsFrom({
      env: { POSTERN_LIMIT_REQUESTS_PER_MINUTE: '1000', POSTERN_PLAN_FREE_INBOXES: '10' },
      cli: { limit_batch_per_hour: '7' },
    });
    expect(limits.requests_per_minute).toMatchObject({ max: 1000, windowS: 60 });
    expect(limits.batch_per_hour.max).toBe(7);
    expect(limits.requests_per_hour.max).toBe(600);
    expect(plans.free).toMatchObject({ inboxes: 10, retention_days: 7 });
  });

  test('the limit for all keys of an account follows that of one key, unless it is set itself', () => {
    const raised = settingsFrom({ env: { POSTERN_LIMIT_REQUESTS_PER_MINUTE: '5000' } });
    expect(raised.limits.requests_account_per_minute.max).toBe(50_000);
    expect(raised.limits.requests_account_per_hour.max).toBe(6_000);
    expect(raised.sources.limit_requests_account_per_minute).toEqual({ source: 'default', text: '50000' });
    const both = { limit_requests_per_minute: '5000', limit_requests_account_per_minute: '7' };
    expect(settingsFrom({ cli: both }).limits.requests_account_per_minute.max).toBe(7);
    const huge = settingsFrom({ cli: { limit_requests_per_minute: '1000000000' } });
    expect(huge.limits.requests_account_per_minute.max).toBe(1_000_000_000);
  });

  test('variables of other programs are ignored', () => {
    expect(listFaults({ env: { PATH: '/bin', POSTERNISH: 'x' } })).toEqual([]);
  });
});

describe('the form of a value', () => {
  const wellFormed: [string, string, unknown][] = [
    ['http_listen', '[::1]:0', { host: '::1', port: 0, tls: false }],
    ['http_listen', 'localhost:80', { host: 'localhost', port: 80, tls: false }],
    [
      'smtp_listen',
      '0.0.0.0:25, tls://[::]:465',
      [
        { host: '0.0.0.0', port: 25, tls: false },
        { host: '::', port: 465, tls: true },
      ],
    ],
    ['base_url', 'https://Mail.Example.com/', 'https://mail.example.com'],
    ['mail_domain', 'BÜCHER.example.', 'xn--bcher-kva.example'],
    [
      'dns_servers',
      '9.9.9.9,::1,[::1]:5353,ns:54',
      [
        { host: '9.9.9.9', port: 53 },
        { host: '::1', port: 53 },
        { host: '::1', port: 5353 },
        { host: 'ns', port: 54 },
      ],
    ],
    ['smtp_max_size', '65536', 65536],
    ['smtp_max_size', '1.5 mib', 1_572_864],
    ['disk_floor', '1GiB', 1024 ** 3],
    ['limits', 'OFF', false],
    ['signup', 'Open', 'open'],
    ['outbound', 'direct', { way: 'direct' }],
    ['outbound', 'smtp://u:p@host:587', { way: 'smarthost', url: 'smtp://u:p@host:587' }],
    ['webhook_allow_networks', '127.0.0.1', [{ address: '127.0.0.1', prefix: 32 }]],
  ];
  test.each(wellFormed)('%s accepts %s', (name, text, value) => {
    const { settings } = settingsFrom({ cli: { [name]: text } });
    expect(settings[name as keyof typeof settings]).toEqual(value as never);
  });

  test.each([
    ['http_listen', '8025'],
    ['http_listen', '127.0.0.1:70000'],
    ['http_listen', 'tls://127.0.0.1:1'],
    ['http_listen', '::1:25'],
    ['smtp_listen', '127.0.0.1'],
    ['smtp_listen', ','],
    ['smtp_listen', '127.0.0.1:25,'],
    ['dns_servers', '9.9.9.9,,1.1.1.1'],
    ['trusted_proxies', ','],
    ['oidc_account', 'ann@example.com'],
    ['postmaster_inbox', 'x'],
    ['postmaster_inbox', `inbox_${'g'.repeat(32)}`],
    ['base_url', 'mail.example.com'],
    ['base_url', 'https://u:p@mail.example.com'],
    ['mail_domain', '127.0.0.1'],
    ['mail_domain', 'a b'],
    ['smtp_max_size', '1'],
    ['smtp_max_size', '25 megs'],
    ['wait_slots', '-1'],
    ['wait_slots', '1e3'],
    ['limits', 'yes'],
    ['log', 'xml'],
    ['trusted_proxies', '10.0.0.0/33'],
    ['trusted_proxies', 'example.com'],
    ['outbound', 'smtp'],
    ['outbound_port', '0'],
    ['limit_requests_per_minute', 'many'],
  ])('%s refuses %s', (name, text) => {
    expect(listFaults({ cli: { [name]: text } })).toHaveLength(1);
  });
});

test('the variable that tells clients where the executable is is neither a setting nor a mistake', () => {
  expect(
    listFaults({
      env: { POSTERN_BIN: '/usr/bin/postern', POSTERN_SMTP_URL: 'smtp://x', POSTERN_LIMITS: 'maybe' },
    }),
  ).toHaveLength(1);
});

test('all mistakes are reported at once, with a suggestion for an unknown name', () => {
  const faults = listFaults({
    env: { POSTERN_LIMTS: 'off', POSTERN_SMTP_MAX_SIZE: '1', POSTERN_NOTHING_LIKE_IT: '1' },
    toml: { smtp_maxsize: '1MiB', log: { form: 'json' } },
    cli: { htp_listen: 'x' },
  }).join('\n');
  expect(faults).toContain('POSTERN_LIMTS is not a setting; did you mean POSTERN_LIMITS?');
  expect(faults).toContain('smtp_maxsize is not a setting; did you mean smtp_max_size?');
  expect(faults).toContain('--htp-listen is not a setting; did you mean --http-listen?');
  expect(faults).toContain('POSTERN_NOTHING_LIKE_IT is not a setting (');
  expect(faults).toContain('POSTERN_SMTP_MAX_SIZE must be from 64KiB to 256MiB');
  expect(faults).toContain('log in the file must be text in quotes');
});

test('a malformed secret is not shown', () => {
  const [fault] = listFaults({ env: { POSTERN_OUTBOUND: 'http://user:hunter2@host' } });
  expect(fault).toContain('POSTERN_OUTBOUND must be');
  expect(fault).not.toContain('hunter2');
});

test.each(['off', 'direct', 'host:25'])('the server that releases mail is a URL, and not %s', (text) => {
  const [fault] = listFaults({ env: { POSTERN_RELEASE_SMARTHOST: text } });
  expect(fault).toBe('POSTERN_RELEASE_SMARTHOST must be a smarthost such as smtp://user:pass@host:587');
});

test('the MX host is mx.<mail domain> unless it is set', () => {
  expect(mxHost(settingsFrom({ cli: { mail_domain: 'a.test' } }).settings)).toBe('mx.a.test');
  expect(mxHost(settingsFrom({ cli: { mx_host: 'in.b.test' } }).settings)).toBe('in.b.test');
});

test('a certificate without its key is refused', () => {
  expect(listFaults({ cli: { tls_cert: '/c.pem' } })).toHaveLength(1);
  expect(listFaults({ cli: { tls_cert: '/c.pem', tls_key: '/k.pem' } })).toEqual([]);
});

test('every default is well formed, and every meaning is one line', () => {
  for (const { name, rule } of knobs) {
    expect(rule.meaning, name).not.toBe('');
    expect(rule.meaning, name).not.toContain('\n');
  }
  expect(new Set(knobs.map(({ variable }) => variable)).size).toBe(knobs.length);
});

test.each(['smtp://u%zz:p@host', 'smtp://u@host', 'smtp://:p@host', 'smtp://host:0'])(
  'a smarthost that could never work is refused by the settings: %s',
  (outbound) => {
    expect(() => settingsFrom({ cli: { outbound } })).toThrow('both user and password or neither');
  },
);
