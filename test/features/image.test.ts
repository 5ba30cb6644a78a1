/** The container image: what is in it, and how it runs where a container may do little. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { canContain, type ImageConfig, OUTSIDE, startContainer, unpackImage } from '../peers/container.ts';
import { haveTool, runTool } from '../peers/tools.ts';

const executable = process.env.BUILT_POSTERN;
const ARCH = process.arch === 'arm64' ? 'arm64' : 'amd64';
const canBuild = executable !== undefined && haveTool('zstd') && existsSync('/usr/bin/apt-get');
const canRun = canBuild && (await canContain());
if (!executable) console.warn('SKIPPED: the image needs BUILT_POSTERN, the built executable');
else if (canBuild && !canRun)
  console.warn('SKIPPED: namespaces are not permitted on this machine; the image was not run');

const folder = mkdtempSync(join(tmpdir(), 'postern-image-test-'));
const layout = join(folder, 'image');
let image: { root: string; config: ImageConfig };

/** Compressed a little: what is tested here is not the size. */
async function build(out: string): Promise<string> {
  const { exitCode, output } = await runTool(
    [
      'scripts/image',
      '--platform',
      `linux/${ARCH}`,
      '--executable',
      executable!,
      '--out',
      out,
      '--level',
      '1',
    ],
    '',
    120_000,
  );
  if (exitCode !== 0) throw new Error(output);
  return readFileSync(join(out, 'index.json'), 'utf8');
}

beforeAll(async () => {
  if (!canBuild) return;
  await build(layout);
  image = await unpackImage(layout, ARCH);
}, 180_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  if (image) rmSync(image.root, { recursive: true, force: true });
});

describe.skipIf(!canBuild)('the image', () => {
  test('has the same bytes each time it is built', async () => {
    const again = await build(join(folder, 'again'));
    expect(again).toBe(readFileSync(join(layout, 'index.json'), 'utf8'));
  }, 180_000);

  test('is an OCI layout in which every blob has its digest', async () => {
    const names = new Bun.Glob('blobs/sha256/*').scanSync(layout);
    for (const name of names) {
      const digest = createHash('sha256')
        .update(readFileSync(join(layout, name)))
        .digest('hex');
      expect(name).toBe(`blobs/sha256/${digest}`);
    }
  });

  test.skipIf(!haveTool('skopeo'))('can be read by another tool, with its labels', async () => {
    const { exitCode, output } = await runTool(['skopeo', 'inspect', `oci:${layout}:${version}`]);
    expect(exitCode).toBe(0);
    const { Architecture, Labels, Env } = JSON.parse(output);
    expect([Architecture, Labels['org.opencontainers.image.version']]).toEqual([ARCH, version]);
    expect(Env).toContain('POSTERN_SMTP_LISTEN=0.0.0.0:1025');
  });

  test('has no shell, one user, and a volume of its own', () => {
    const { root, config } = image;
    for (const path of ['bin', 'usr/bin', 'usr/sbin', 'tmp', 'bin/sh'])
      expect([path, existsSync(join(root, path))]).toEqual([path, false]);
    const { uid, gid, mode } = statSync(join(root, 'data'));
    expect([`${uid}:${gid}`, (mode & 0o777).toString(8)]).toEqual([config.User, '750']);
    expect(statSync(join(root, 'postern')).uid).toBe(0);
    const roots = readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    expect(roots.match(/BEGIN CERTIFICATE/g)!.length).toBeGreaterThan(100);
  });

  test.skipIf(!haveTool('buildah'))(
    'is the same when built from the Dockerfile',
    async () => {
      const tag = `postern-test-${process.pid}`;
      const storage = [
        '--storage-driver',
        'vfs',
        '--root',
        join(folder, 'storage'),
        '--runroot',
        join(folder, 'run'),
      ];
      const context = join(folder, 'context');
      // The Dockerfile names the folder that scripts/image makes by default.
      await runTool([
        'sh',
        '-c',
        `mkdir -p "$1/dist" && cp -a "$2" "$1/dist/image-root" && cp Dockerfile "$1"`,
        'sh',
        context,
        `${layout}-root`,
      ]);
      const isolated = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', `TARGETARCH=${ARCH}`];
      const built = await runTool(
        ['buildah', ...storage, 'bud', ...isolated, '-t', tag, context],
        '',
        120_000,
      );
      expect([built.exitCode, built.exitCode === 0 ? '' : built.output]).toEqual([0, '']);
      const { output } = await runTool(['buildah', ...storage, 'inspect', '--type', 'image', tag]);
      const { config } = JSON.parse(output).Docker;
      const { Labels, ...own } = image.config as ImageConfig & { Labels: Record<string, string> };
      for (const [name, value] of Object.entries(own)) expect([name, config[name]]).toEqual([name, value]);
      for (const [name, value] of Object.entries(config.Labels))
        if (!name.startsWith('io.buildah')) expect([name, Labels[name]]).toEqual([name, value as string]);
    },
    180_000,
  );
});

describe.skipIf(!canRun)('a container', () => {
  const volume = 'mode=750,uid=65532,gid=65532';

  test('lets another network read its first mail, with the key from its log', async () => {
    const began = performance.now();
    await using trap = startContainer(image);
    await trap.prints('Stop with Ctrl-C');
    const [, link = '', key = ''] = /Sign in +(http:\S+\?key=(\S+))/.exec(trap.printed()) ?? [];
    expect(link).toBe(`http://127.0.0.1:8025/?key=${key}`);
    const api = `http://${OUTSIDE}:8025/api/v1`;
    const from = ['--interface', OUTSIDE];
    const mail =
      'From: app@example.com\r\nTo: you@example.com\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n';
    const sent = await trap.outside(
      [
        ...['curl', '-sS', ...from, `smtp://${OUTSIDE}:1025`, '--mail-from', 'app@example.com'],
        ...['--mail-rcpt', 'you@example.com', '-T', '-'],
      ],
      mail,
    );
    expect(sent).toEqual({ exitCode: 0, output: '' });
    const wait = `${api}/inboxes/you@example.com/messages/wait?since=0`;
    const { output } = await trap.outside([
      'curl',
      '-sS',
      ...from,
      '-H',
      `Authorization: Bearer ${key}`,
      wait,
    ]);
    expect(JSON.parse(output).data.otp).toBe('493817');
    // Only logged: a machine that also runs other tests is too busy to judge the time.
    console.log(`image to first mail: ${Math.round(performance.now() - began)} ms`);
    const bare = await trap.outside(['curl', '-sS', '-o', '/dev/null', '-w', '%{http_code}', ...from, wait]);
    expect(bare.output).toBe('401');
    const door = ['curl', '-sS', '-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', ...from];
    const opened = await trap.outside([...door, link.replace('127.0.0.1', OUTSIDE)]);
    expect(opened.output).toBe(`302 http://${OUTSIDE}:8025/dashboard`);
  }, 20_000);

  test('passes its health check, and stops at SIGTERM as process 1', async () => {
    await using server = startContainer({ ...image, command: ['serve'], volume });
    await server.prints('Postern is ready');
    const [, ...check] = image.config.Healthcheck.Test;
    expect((await server.inside(check)).exitCode).toBe(0);
    const created = await server.inside([
      '/postern',
      'account',
      'create',
      '--email',
      'ann@example.com',
      '--json',
    ]);
    expect(JSON.parse(created.output).email).toBe('ann@example.com');
    const began = performance.now();
    server.signal('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  }, 30_000);

  test.each([
    [
      'of another user',
      'mode=750,uid=1000',
      'It belongs to user 1000, and Postern runs as user 65532: run chown -R 65532',
    ],
    ['that is read-only', `${volume},ro`, 'Mount a writable volume there'],
    ['without any room', `${volume},size=40k`, 'The disk of the data folder /data is full'],
  ])(
    'with a volume %s exits and says what to do',
    async (_, options, text) => {
      await using server = startContainer({ ...image, command: ['serve'], volume: options });
      expect(await server.exited).toBe(1);
      expect(server.printed()).toContain(text);
    },
    20_000,
  );

  test('with a full volume serves the mail that it has, and says that it refuses more', async () => {
    await using server = startContainer({ ...image, command: ['serve'], volume: `${volume},size=1m` });
    await server.prints('The disk of /data is full. Mail is answered 452');
    await server.prints('Postern is ready');
    const ready = await server.outside([
      'curl',
      '-sS',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      `http://${OUTSIDE}:8025/readyz`,
    ]);
    expect(ready.output).toBe('503');
  }, 20_000);

  test('on a port below 1024 says which privilege is missing', async () => {
    const env = { POSTERN_SMTP_LISTEN: '0.0.0.0:25' };
    await using server = startContainer({ ...image, command: ['serve'], volume, env });
    expect(await server.exited).toBe(1);
    expect(server.printed()).toContain('needs permissions that this user does not have');
  }, 20_000);
});
