/** Help and config name every command and setting that exists. */
import { describe, expect, test } from 'bun:test';
import { commands } from '../../../src/doors/operator/commands.ts';
import { formatAllHelp, formatHelp } from '../../../src/doors/operator/help.ts';
import { knobs } from '../../../src/platform/core/settings.ts';
import { postern, posternJson } from './command-process.ts';

/** docs/operations.md: other programs rely on these names, so they must not change. */
const FIXED = [
  ...['serve', 'capture', 'config', 'openapi', 'version'],
  ...['account create', 'account list', 'account show', 'account delete', 'account set'],
  ...['member add', 'member list', 'member remove', 'member password', 'member reset-second-factor'],
  ...['key create', 'key list', 'key revoke'],
];

const FIXED_SETTINGS = [
  ...['DATA_DIR', 'HTTP_LISTEN', 'SMTP_LISTEN', 'BASE_URL', 'MAIL_DOMAIN', 'MX_HOST', 'DNS_SERVERS'],
  'EXTRA_CA_FILE',
  'TLS_CERT',
  'TLS_KEY',
  'HTTP_TLS',
  'SMTP_MAX_SIZE',
  'LIMITS',
  'WAIT_SLOTS',
  'WAIT_SLOTS_FREE',
  ...['TRUSTED_PROXIES', 'WEBHOOK_ALLOW_NETWORKS', 'OUTBOUND', 'OUTBOUND_PORT', 'OUTBOUND_ALLOW_NETWORKS'],
  'VERIFY_FULL',
  'PROBE_PORT',
  'PROBE_ALLOW_NETWORKS',
  'SIGNUP',
  'AGENT_REGISTRATION',
  'POSTMASTER_INBOX',
  ...['DISK_FLOOR', 'LOG', 'LOG_LEVEL', 'METRICS', 'CAPTURE_API_KEY'],
  ...['LIMIT_REQUESTS_PER_MINUTE', 'PLAN_FREE_INBOXES'],
].map((name) => `POSTERN_${name}`);

describe('help', () => {
  test('of the program names every command', () => {
    const help = formatAllHelp(commands);
    for (const { name, meaning } of commands) {
      expect(help).toContain(`  ${name}`);
      expect(help).toContain(meaning);
    }
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(FIXED));
  });

  test('of a command names its arguments and flags', () => {
    for (const command of commands) {
      const help = formatHelp(command);
      expect(help).toStartWith(`Usage: postern ${command.name}`);
      for (const { name, meaning } of command.arguments ?? []) {
        expect(help).toContain(`  ${name}`);
        expect(help).toContain(meaning);
      }
      for (const { name } of command.flags ?? [])
        expect(help).toContain(`  ${name.length > 1 ? '--' : '-'}${name}`);
    }
  });

  test('of every command lists its exit statuses, each once', () => {
    expect(formatAllHelp(commands)).toContain('Exit status:\n  0  done\n  1  failed\n  2  wrong usage\n');
    for (const command of commands) {
      const [, section = ''] = /^Exit status:\n((?: {2}.*\n)+)/m.exec(formatHelp(command)) ?? [];
      const statuses = section.match(/^ {2}\d+/gm)?.map(Number) ?? [];
      const own = Object.keys(command.exits ?? {}).map(Number);
      expect([command.name, statuses]).toEqual([
        command.name,
        [...new Set([0, 1, 2, ...own])].sort((one, other) => one - other),
      ]);
    }
  });

  test('of capture shows the ten most useful settings, and all of them on request', () => {
    const capture = commands.find(({ name }) => name === 'capture')!;
    const shown = (isWhole: boolean) => formatHelp(capture, isWhole).match(/^ {2}--\S+ {2}POSTERN_\w+/gm);
    expect(shown(false)).toHaveLength(10);
    expect(shown(true)).toHaveLength(knobs.filter(({ rule }) => rule.side !== 'client').length);
  });

  test('of sendmail shows only flags that it reads', () => {
    const help = formatHelp(commands.find(({ name }) => name === 'sendmail')!);
    expect(help).toContain('  --help');
    expect(help).not.toMatch(/--json|--config|--smtp|--url|--api-key/);
    expect(help).toMatch(/^ {2}POSTERN_SMTP$/m);
  });

  test.each([
    ['serve', 'client'],
    ['wait', undefined],
  ] as const)('of %s names every setting that it reads, as flag and as variable', (command, others) => {
    const help = formatHelp(commands.find(({ name }) => name === command)!);
    for (const { flag, variable, rule } of knobs.filter((knob) => knob.rule.side !== others)) {
      expect(help).toContain(`${flag}  ${variable}`);
      expect(help).toContain(rule.meaning);
    }
  });

  test('exists for the program, a group and a command, and exits with 0', async () => {
    const bare = await postern([]);
    expect(bare.status).toBe(0);
    for (const args of [['--help'], ['help'], ['-h'], ['--help-all']])
      expect(await postern(args)).toEqual(bare);
    const group = await postern(['account', '--help']);
    expect(group).toMatchObject({ status: 0, stderr: '' });
    expect(group.stdout).toContain('account create --email E');
    // Help is shown whatever else is wrong or missing on the command line.
    const command = await postern(['account', 'create', '--help'], { POSTERN_LIMITS: 'maybe' });
    expect(command).toMatchObject({ status: 0, stderr: '' });
    expect(command.stdout).toContain('--password-stdin');
  });
});

interface Row {
  name: string;
  variable: string;
  value: string | null;
  default: string | null;
  source: string;
  meaning: string;
}

describe('config', () => {
  test('prints every setting with its value, default, source and meaning', async () => {
    const rows = await posternJson<Row[]>(['config', '--wait-slots', '7'], { POSTERN_SIGNUP: 'open' });
    expect(rows.map(({ variable }) => variable)).toEqual(knobs.map(({ variable }) => variable));
    expect(rows.map(({ variable }) => variable)).toEqual(expect.arrayContaining(FIXED_SETTINGS));
    const row = (name: string) => rows.find((each) => each.name === name);
    expect(row('wait_slots')).toMatchObject({ value: '7', default: '16', source: 'command line' });
    expect(row('signup')).toMatchObject({ value: 'open', default: 'closed', source: 'environment' });
    expect(row('mail_domain')).toMatchObject({ value: 'postern.test', source: 'default' });
    const text = await postern(['config']);
    expect(text.stdout).toContain('POSTERN_LIMIT_REQUESTS_PER_MINUTE');
  });

  test('shows no secret', async () => {
    const env = {
      POSTERN_OUTBOUND: 'smtp://user:hunter2@relay.test:587',
      POSTERN_CAPTURE_API_KEY: 'pst_live_secret',
    };
    for (const args of [['config'], ['config', '--json']]) {
      const { stdout, stderr } = await postern(args, env);
      expect(stdout + stderr).not.toMatch(/hunter2|pst_live_secret/);
      expect(stdout).toContain('********');
    }
  });
});
