/** What is written for the image: compose files, the Helm chart, the feature for development containers. */
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { makeConfig } from '../../scripts/container/config.ts';
import { buildGoProgram, goProgramPath, helm as helmProgram } from '../../scripts/go-program.ts';
import { settingsFrom } from '../../src/platform/core/settings.ts';
import { haveTool, runTool } from '../peers/tools.ts';

const read = (path: string) => readFileSync(path, 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: files are read as they are written.
const readYaml = (text: string) => Bun.YAML.parse(text) as any;
const image = makeConfig({ platform: 'linux/amd64', version, revision: '', createdS: 0 }).config;

/** A list of lines, or a table. */
const readEnv = (env: Record<string, string>) =>
  settingsFrom({
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
  });

describe('the compose files', () => {
  test.each(['trap', 'server'])(
    '%s has the image, its ports and its health check, with few privileges',
    (name) => {
      const { services } = readYaml(read(`containers/${name}.compose.yaml`));
      const { postern } = services;
      expect(postern.image).toBe(`postern:${version}`);
      expect(postern.healthcheck.test).toEqual(image.Healthcheck.Test);
      const inner = postern.ports.map((port: string) => `${port.split(':').at(-1)}/tcp`);
      expect(inner.sort()).toEqual(Object.keys(image.ExposedPorts).sort());
      expect([postern.read_only, postern.cap_drop]).toEqual([true, ['ALL']]);
      expect(() => readEnv(postern.environment)).not.toThrow();
    },
  );

  test('include the one in README.md, to paste', () => {
    const [, text = ''] = /```yaml\n(services:[\s\S]*?)```/.exec(read('README.md')) ?? [];
    const { postern } = readYaml(text).services;
    expect(postern.image).toBe(`postern:${version}`);
    expect(() => readEnv(postern.environment)).not.toThrow();
  });
});

/** CI builds helm. That takes a minute, which nobody should wait for at each run. */
function findHelm(): string | null {
  const found =
    Bun.which('helm') ?? (existsSync(goProgramPath(helmProgram)) ? goProgramPath(helmProgram) : null);
  if (found !== null || !process.env.CI) return found;
  const trouble = haveTool('go') ? buildGoProgram(helmProgram) : 'there is no Go here';
  if (trouble !== null) console.warn(`SKIPPED: helm was not built: ${trouble}`);
  return trouble === null ? goProgramPath(helmProgram) : null;
}

describe('the Helm chart', () => {
  const helm = findHelm();
  const chart = 'containers/helm/postern';

  test('is of this version, and changes only settings that exist', () => {
    const { appVersion } = readYaml(read(`${chart}/Chart.yaml`));
    expect(appVersion).toBe(version);
    const values = readYaml(read(`${chart}/values.yaml`));
    const used = [...read(`${chart}/templates/statefulset.yaml`).matchAll(/\.Values\.(\w+)/g)].map(
      ([, name]) => name!,
    );
    expect(used.filter((name) => !(name in values))).toEqual([]);
  });

  test('has a schema with exactly the values that there are', () => {
    const listNames = (values: object): string[] =>
      Object.entries(values).flatMap(([name, value]) =>
        value?.constructor === Object && name !== 'resources'
          ? [name, ...listNames(value).map((inner) => `${name}.${inner}`)]
          : [name],
      );
    // biome-ignore lint/suspicious/noExplicitAny: a schema, read as it is written.
    const listProperties = ({ properties = {} }: any): string[] =>
      Object.entries(properties).flatMap(([name, schema]) => [
        name,
        ...listProperties(schema).map((inner) => `${name}.${inner}`),
      ]);
    // Helm gives a chart within another one `global`.
    const names = ['global', ...listNames(readYaml(read(`${chart}/values.yaml`)))];
    expect(listProperties(JSON.parse(read(`${chart}/values.schema.json`))).sort()).toEqual(names.sort());
  });

  test.skipIf(!helm)('refuses a misspelt value, which would change nothing', async () => {
    for (const values of ['persistance.enabled=false', 'service.Type=NodePort', 'mode=trap']) {
      const { exitCode, output } = await runTool([helm!, 'template', 'test', '--set', values, chart]);
      expect([values, exitCode]).toEqual([values, 1]);
      expect(output).toMatch(/additional properties '(persistance|Type)' not allowed|'serve', 'capture'/);
    }
  });

  test
    .skipIf(!helm)
    .each([
      '',
      'mode=capture',
      'mode=capture,persistence.enabled=false,ingress.enabled=true,ingress.path=/mail',
      'service.type=LoadBalancer,settings.POSTERN_MAIL_DOMAIN=mail.example.com,settingsFromSecrets={keys}',
    ])(
    'passes helm lint with %p, and runs as the image does',
    async (values) => {
      const linted = await runTool([helm!, 'lint', '--strict', '--set', values, chart], '', 60_000);
      expect([linted.exitCode, linted.output]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
      const { output } = await runTool([helm!, 'template', 'test', '--set', values, chart], '', 60_000);
      const rendered = output
        .split(/^---$/m)
        .map(readYaml)
        .find((one) => one?.kind === 'StatefulSet');
      const { securityContext, containers } = rendered.spec.template.spec;
      expect(`${securityContext.runAsUser}:${securityContext.fsGroup}`).toBe(image.User);
      expect(containers[0].image).toBe(`postern:${version}`);
      expect(containers[0].securityContext.readOnlyRootFilesystem).toBe(true);
    },
    60_000,
  );
  test.skipIf(!helm)('exposes only SMTP publicly, and derives the base URL from the ingress', async () => {
    const values =
      'service.type=LoadBalancer,ingress.enabled=true,ingress.path=/mail,ingress.tls[0].secretName=a';
    const { output } = await runTool([helm!, 'template', 'test', '--set', values, chart], '', 60_000);
    const rendered = output.split(/^---$/m).map(readYaml);
    const services = rendered.filter((one) => one?.kind === 'Service').map(({ spec }) => spec);
    expect(
      services.map(({ type, ports }) => [type, ports.map(({ name }: { name: string }) => name)]),
    ).toEqual([
      ['ClusterIP', ['http', 'smtp']],
      ['LoadBalancer', ['smtp']],
    ]);
    const { env } = rendered.find((one) => one?.kind === 'StatefulSet').spec.template.spec.containers[0];
    expect(env).toContainEqual({ name: 'POSTERN_BASE_URL', value: 'https://mail.example.com/mail' });
  });
  test.skipIf(!helm)('passes settings on as a file of values has them, each once', async () => {
    const values = [
      'POSTERN_METRICS: on',
      'POSTERN_LIMITS: off',
      'POSTERN_STORE_MAX_SIZE: 10737418240',
      'POSTERN_DISK_FLOOR: 1GiB',
      'POSTERN_LOG: pretty',
    ];
    const text = ['settings:', ...values.map((line) => `  ${line}`)].join('\n');
    const { output } = await runTool([helm!, 'template', 'test', '-f', '-', chart], text, 60_000);
    const rendered = output.split(/^---$/m).map(readYaml);
    const { env } = rendered.find((one) => one?.kind === 'StatefulSet').spec.template.spec.containers[0];
    const lines = env.map(({ name, value }: { name: string; value: string }) => `${name}: ${value}`);
    expect(lines.sort()).toEqual(values.sort());
    expect(() => readEnv(Object.fromEntries(lines.map((line: string) => line.split(': '))))).not.toThrow();
  });
  if (!helm)
    console.warn('SKIPPED: helm is not on the PATH, and only CI builds it; the chart was not linted');
});

describe('the feature for development containers', () => {
  const folder = 'containers/devcontainer/postern';
  const executable = process.env.BUILT_POSTERN;
  const canRun = executable !== undefined && process.getuid?.() === 0 && Bun.which('unshare') !== null;
  if (!canRun) console.warn('SKIPPED: the feature is installed only with BUILT_POSTERN, as root');

  test('is of this version, and its options are exactly those that its script reads', () => {
    const feature = JSON.parse(read(`${folder}/devcontainer-feature.json`));
    expect(feature.version).toBe(version);
    const script = read(`${folder}/install.sh`);
    for (const name of Object.keys(feature.options)) expect(script).toContain(`\${${name.toUpperCase()}:-}`);
  });

  /** Runs the script where /usr/local is empty and thrown away, then a command. */
  async function install({ first = ':', ...env }: Record<string, string>, then = 'true') {
    const place = mkdtempSync(join(tmpdir(), 'postern-feature-'));
    await runTool(['cp', `${folder}/install.sh`, place]);
    if (env.beside) await runTool(['cp', env.beside, join(place, 'postern')]);
    const steps = `mount -t tmpfs tmpfs /usr/local && mkdir -p /usr/local/bin && cd / && ip link set lo up; ${first}; PATH=/usr/local/bin:$PATH sh ${place}/install.sh && ${then}`;
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const done = await runTool(
      [
        'env',
        '-u',
        'BUN_BE_BUN',
        ...lines,
        'unshare',
        '--mount',
        '--net',
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        steps,
      ],
      '',
      60_000,
    );
    rmSync(place, { recursive: true, force: true });
    return done;
  }

  test.skipIf(!canRun)(
    'installs an executable with the given sum, and its entry point starts the trap',
    async () => {
      const sum = createHash('sha256').update(readFileSync(executable!)).digest('hex');
      const then = '/usr/local/share/postern/start /usr/local/bin/postern ready --wait 20';
      const { exitCode, output } = await install({ beside: executable!, SHA256: sum }, then);
      expect([exitCode, output]).toEqual([0, expect.stringContaining('Postern')]);
    },
    60_000,
  );

  test.skipIf(!canRun)(
    'installs from the archive of a release, which is what it has to be given',
    async () => {
      const work = mkdtempSync(join(tmpdir(), 'postern-archive-'));
      const archive = join(work, 'postern-1.0-linux-x64.tar.gz');
      const inside = join(work, 'postern-1.0-linux-x64');
      await runTool(['sh', '-c', `mkdir ${inside} && cp ${executable} ${inside}/postern`]);
      const tar = join(work, 'release.tar');
      await runTool(['tar', '-cf', tar, '-C', work, 'postern-1.0-linux-x64'], '', 60_000);
      // Compressing an executable takes five seconds of processor time.
      const stored = Bun.gzipSync(readFileSync(tar), { level: 0 });
      writeFileSync(archive, stored);
      const sum = createHash('sha256').update(stored).digest('hex');
      // A curl that brings it: the script takes https alone.
      const curl = `printf '#!/bin/sh\\nwhile [ "$1" != -o ]; do shift; done\\ncp ${archive} "$2"\\n' >/usr/local/bin/curl; chmod 755 /usr/local/bin/curl`;
      const env = {
        FROM: `https://releases.example.com/${archive.split('/').at(-1)}`,
        SHA256: sum,
        first: curl,
      };
      const { exitCode, output } = await install(env, 'ls -A /usr/local/bin');
      rmSync(work, { recursive: true });
      expect([exitCode, output]).toEqual([0, expect.stringMatching(/^Postern .*\ncurl\npostern\n$/)]);
    },
    60_000,
  );

  test.skipIf(!canRun).each([
    [{}, "set the option 'from'"],
    [{ FROM: 'http://example.com/postern' }, 'must be an https URL'],
    [{ FROM: 'https://example.com/postern' }, "set the option 'sha256'"],
    [{ beside: executable!, SHA256: 'a'.repeat(64) }, 'nothing was installed'],
    [{ beside: '/etc/passwd' }, 'does not run here'],
  ])(
    'with %p installs nothing, and says why',
    async (env, text) => {
      const { exitCode, output } = await install(env as Record<string, string>, 'true');
      expect([exitCode, output]).toEqual([1, expect.stringContaining(text)]);
    },
    60_000,
  );
});
