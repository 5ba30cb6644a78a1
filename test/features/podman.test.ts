/**
 * The compose files, by podman-compose with real containers: a network of their own, published ports, volumes. Everything
 * is in a network namespace and a folder of this test; the machine's own containers are not seen.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { haveTool, runTool } from '../peers/tools.ts';

const executable = process.env.BUILT_POSTERN;
const ARCH = process.arch === 'arm64' ? 'arm64' : 'amd64';
const net = `postern-podman-${process.pid}`;
const dir = mkdtempSync(join(tmpdir(), 'postern-podman-'));
const IMAGE = `docker.io/library/postern:${version}`;

/** Few files and processes: a machine without CAP_SYS_RESOURCE can't raise its own limits. */
const CONF = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${dir}/networks"
`;
const STORAGE = `[storage]
driver = "vfs"
graphroot = "${dir}/root"
runroot = "${dir}/run"
`;

/** Runs a program of this machine in the namespace, which is where ports are published. */
const run = (command: string[], timeoutMs = 60_000) =>
  runTool(
    [
      ...['env', '-u', 'BUN_BE_BUN', `CONTAINERS_CONF=${dir}/containers.conf`],
      ...[`CONTAINERS_STORAGE_CONF=${dir}/storage.conf`, 'nsenter', `--net=/run/netns/${net}`, ...command],
    ],
    '',
    timeoutMs,
  );

async function succeed(command: string[], timeoutMs?: number): Promise<string> {
  const { exitCode, output } = await run(command, timeoutMs);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${output}`);
  return output;
}

const compose = (file: string, ...args: string[]) =>
  succeed(['podman-compose', '-p', 'walk', '-f', `containers/${file}.compose.yaml`, ...args]);
const inside = (...args: string[]) => succeed(['podman', 'exec', 'walk_postern_1', ...args]);

/** Why it can't be run here; empty when it can. */
async function prepare(): Promise<string> {
  if (executable === undefined) return 'it needs BUILT_POSTERN, the built executable';
  if (process.getuid?.() !== 0) return 'it needs root';
  if (!haveTool('podman') || !haveTool('zstd') || !haveTool('swaks')) return 'a tool is missing';
  for (const name of ['networks', 'root', 'run']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'containers.conf'), CONF);
  writeFileSync(join(dir, 'storage.conf'), STORAGE);
  const { exitCode, output } = await runTool(['ip', 'netns', 'add', net]);
  if (exitCode !== 0) return output;
  await runTool(['ip', '-n', net, 'link', 'set', 'lo', 'up']);
  const created = [
    'scripts/image',
    '--platform',
    `linux/${ARCH}`,
    '--executable',
    executable,
    '--level',
    '1',
  ];
  const image = await runTool([...created, '--out', join(dir, 'image')], '', 120_000);
  if (image.exitCode !== 0) throw new Error(image.output);
  await succeed(['podman', 'load', '-i', join(dir, 'image.tar')], 120_000);
  const tried = await run(['podman', 'run', '--rm', '--pull=never', '--network=bridge', IMAGE, 'version']);
  return tried.exitCode === 0 ? '' : `no container starts here: ${tried.output.trim()}`;
}

const trouble = await prepare();
if (trouble) console.warn(`SKIPPED: the compose files were not run by podman: ${trouble}`);

afterAll(async () => {
  await runTool(['ip', 'netns', 'del', net]);
  rmSync(dir, { recursive: true, force: true });
});

describe.skipIf(trouble !== '')('by podman-compose', () => {
  const sendTo = (port: number, to: string) => {
    const mail = ['--to', to, '--from', 'app@example.org', '--body', 'Your code is 493817.', '--silent', '2'];
    return succeed(['swaks', '--server', `127.0.0.1:${port}`, ...mail]);
  };
  /** The code of the next mail, requested at the port that is published on loopback. */
  const waitFor = async (address: string, key: string) => {
    const wait = `http://127.0.0.1:8025/api/v1/inboxes/${address}/messages/wait?since=0`;
    const answer = await succeed(['curl', '-sS', '-H', `Authorization: Bearer ${key}`, wait]);
    return JSON.parse(answer).data.otp;
  };
  const ready = () => inside('/postern', 'ready', '--wait', '20');

  describe('the trap', () => {
    beforeAll(async () => void (await compose('trap', 'up', '-d')), 60_000);
    afterAll(async () => void (await compose('trap', 'down')), 60_000);

    test('serves its mail at the published ports with the key from its file', async () => {
      await ready();
      await sendTo(1025, 'you@example.com');
      expect(await waitFor('you@example.com', `pst_live_${'compose'.repeat(5)}1`)).toBe('493817');
    }, 60_000);
  });

  describe('the server', () => {
    beforeAll(async () => void (await compose('server', 'up', '-d')), 60_000);
    afterAll(async () => void (await compose('server', 'down')), 60_000);

    test('keeps its mail in the volume when it is stopped and recreated', async () => {
      await ready();
      const created = await inside('postern', 'account', 'create', '--email', 'you@example.com', '--json');
      const { api_key: key } = JSON.parse(created) as { api_key: string };
      const inboxes = 'http://127.0.0.1:8025/api/v1/inboxes';
      const json = ['-H', 'Content-Type: application/json', '-d', '{"routing_key": "hello"}'];
      await succeed(['curl', '-sSf', inboxes, '-H', `Authorization: Bearer ${key}`, ...json]);
      await sendTo(25, 'hello@mail.example.com');
      await succeed(['podman', 'stop', 'walk_postern_1']);
      const state = ['podman', 'inspect', 'walk_postern_1', '--format', '{{.State.ExitCode}}'];
      expect((await succeed(state)).trim()).toBe('0');
      await compose('server', 'down');
      await compose('server', 'up', '-d');
      await ready();
      expect(await waitFor('hello@mail.example.com', key)).toBe('493817');
    }, 120_000);
  });
});
