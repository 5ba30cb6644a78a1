/** `postern domain …`: output, errors, and their immediate effect on a running server. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DomainView } from '../../../src/features/domains/wire.ts';
import { postern, posternJson, type Serving, startServing } from '../../doors/operator/command-process.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { readDomainRecords } from './published.ts';

interface ShownRecord {
  purpose: string;
  type: string;
  host: string;
  value: string;
  is_needed: boolean;
  ok: boolean | null;
  found: string[];
  error: string | null;
  zone_line: string;
}

const folder = temporaryFolder();
let dns: DnsServer;
let server: Serving;
let env: Record<string, string>;
let key: string;
let domain: DomainView;
const run = <Output = DomainView>(...args: string[]) => posternJson<Output>(['domain', ...args], env);

async function api(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: DomainView }> {
  const answer = await fetch(`${server.ready.http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data } = (await answer.json()) as { data: DomainView };
  return { status: answer.status, data };
}

async function fetchStatus(method: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${server.ready.http}/api/v1${path}`, { method, headers })).status;
}

function publish(view: DomainView): void {
  for (const { host, type, values } of readDomainRecords(view)) {
    dns.set(host, type, { records: values.map((value) => ({ type, data: value })) });
  }
}

beforeAll(async () => {
  dns = await startDnsServer();
  env = {
    POSTERN_DATA_DIR: folder.path,
    POSTERN_DISK_FLOOR: '0',
    POSTERN_DNS_SERVERS: `${dns.host}:${dns.port}`,
    POSTERN_OUTBOUND: 'direct',
  };
  ({ api_key: key } = await posternJson<{ api_key: string }>(
    ['account', 'create', '--email', 'ann@example.com'],
    env,
  ));
  server = await startServing(['serve'], env);
  domain = (await api('POST', '/domains', { name: 'one.example' })).data;
}, 30_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test('the commands register, show, check, list and delete a domain', async () => {
  expect(await run<DomainView[]>('list', 'ann@example.com')).toEqual([domain]);
  expect(await run('check', 'One.Example')).toMatchObject({ status: 'pending_dns' });
  publish(domain);
  const checked = await run('check', domain.id);
  expect(checked).toMatchObject({ id: domain.id, status: 'verified', last_error: null });
  // The output is the API's Domain.
  expect((await api('GET', `/domains/${domain.id}`)).data).toEqual(checked);

  const { data: keyed } = await api('POST', `/domains/${domain.id}/sending_setup`);
  expect((await run('check', 'one.example')).dkim_status).toBe('pending_dns');
  publish(keyed);
  expect((await run('check', 'one.example')).dkim_status).toBe('verified');

  expect((await run('disable', 'one.example')).status).toBe('disabled');
  expect((await run('disable', 'one.example')).status).toBe('disabled');
  expect((await api('GET', `/domains/${domain.id}`)).data.status).toBe('disabled');
  expect((await run('enable', 'one.example')).status).toBe('verified');
  expect((await run('enable', 'one.example')).status).toBe('verified');

  const log = await posternJson<{ action: string; target: string; actor: { kind: string } }[]>(
    ['audit', 'export'],
    env,
  );
  const changes = log.filter(({ action }) => action.startsWith('domain.'));
  expect(changes.map(({ action, target, actor }) => [action, target, actor.kind])).toEqual([
    ['domain.added', 'one.example', 'key'],
    ['domain.dkim_key_created', 'one.example', 'key'],
    ['domain.disabled', 'one.example', 'operator'],
    ['domain.enabled', 'one.example', 'operator'],
  ]);
}, 60_000);

test('show prints each record with its status', async () => {
  const shown = await run<DomainView & { records: ShownRecord[] }>('show', 'one.example');
  const { records, ...view } = shown;
  expect((await api('GET', `/domains/${domain.id}`)).data).toEqual(view);
  expect(records.map(({ purpose, is_needed, ok }) => [purpose, is_needed, ok])).toEqual([
    ['ownership', true, true],
    ['mx', true, true],
    ['dkim', true, true],
    ['spf', false, false],
    ['dmarc', false, false],
  ]);
  const { stdout } = await postern(['domain', 'show', 'one.example'], env);
  for (const { zone_line } of records) expect(stdout.split('\n')).toContain(zone_line);
  // From the first record on, everything else is a comment, so the whole text can be pasted.
  const pasted = stdout.slice(stdout.indexOf(';')).split('\n');
  expect(pasted.filter((line) => line !== '' && !line.startsWith(';'))).toHaveLength(records.length);
}, 30_000);

test.each([
  [['domain', 'show', 'two.example'], 1, 'There is no domain two.example'],
  [['domain', 'check', 'dom_x'], 1, 'There is no domain dom_x'],
  [['domain', 'list', 'bob@example.com'], 1, 'Nobody with the email bob@example.com'],
  [['domain', 'check'], 2, 'DOM'],
  [['domain', 'remove', 'one.example'], 2, ''],
])('%p exits with %p', async (args, status, words) => {
  const ended = await postern(args, env);
  expect([ended.status, ended.stdout]).toEqual([status, '']);
  expect(ended.stderr).toContain(words);
});

test('delete releases a name once no inbox uses it', async () => {
  const { data } = await api('POST', '/inboxes', { domain: domain.id });
  const refused = await postern(['domain', 'delete', 'one.example'], env);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain('The domain still has inboxes');
  expect(await fetchStatus('DELETE', `/inboxes/${data.id}`)).toBe(204);
  const other = (await api('POST', '/domains', { name: 'other.example' })).data;
  expect((await run('delete', 'other.example')).id).toBe(other.id);
  expect(await fetchStatus('GET', `/domains/${other.id}`)).toBe(404);
}, 30_000);

test('the commands work without a server too', async () => {
  await server[Symbol.asyncDispose]();
  expect((await run('check', 'one.example')).status).toBe('verified');
}, 30_000);
