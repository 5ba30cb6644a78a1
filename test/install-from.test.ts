/** `install.sh --from`: a damaged, missing, truncated or foreign file changes nothing, and the error says what to do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findOwnTarget, targets } from '../scripts/targets.ts';
import { describeFiles } from './described-files.ts';

const repository = resolve(import.meta.dir, '..');
const dir = mkdtempSync(join(tmpdir(), 'postern-from-'));
const own = findOwnTarget();
const other = Object.keys(targets).find((target) => target !== own)!;
const archive = (version: string, target = own) => `postern-${version}-${target}.tar.gz`;
const script = readFileSync(join(repository, 'install.sh'), 'utf8');

let server: ReturnType<typeof Bun.serve>;
const releases = join(dir, 'releases');

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (path.startsWith('/away/')) return Response.redirect('http://example.com/postern', 302);
      if (path.startsWith('/endless/')) return new Response(new ReadableStream({ pull: pour }));
      const file = Bun.file(join(releases, path));
      return (await file.exists()) ? new Response(file) : new Response('no', { status: 404 });
    },
  });
  makeRelease('1.0');
  makeRelease('2.0');
});
afterAll(() => {
  server.stop(true);
  rmSync(dir, { recursive: true });
});

const pour = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(1 << 20));

/** Makes a release whose executable only prints its version, in a folder of its own. */
function makeRelease(version: string, program = `#!/bin/sh\necho postern ${version}\n`): void {
  const folder = join(releases, version);
  const inside = join(dir, 'inside', `postern-${version}-${own}`);
  for (const each of [folder, inside]) mkdirSync(each, { recursive: true });
  // With a single page, because each install unpacks, checks and copies all of them.
  for (const name of ['install.sh', 'systemd', 'README.md', 'docs/server.md']) {
    cpSync(join(repository, name), join(inside, name), { recursive: true });
  }
  writeFileSync(join(inside, 'postern'), program);
  chmodSync(join(inside, 'postern'), 0o755);
  cpSync(join(inside, 'postern'), join(folder, `postern-${version}-${own}`));
  Bun.spawnSync([
    'tar',
    '-czf',
    join(folder, archive(version)),
    '-C',
    join(dir, 'inside'),
    `postern-${version}-${own}`,
  ]);
  writeFileSync(join(folder, archive(version, other)), 'for another machine');
  writeSums(version);
}

function writeSums(version: string): void {
  const folder = join(releases, version);
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  const lines = names.map((name) => `${sum(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

const sum = (path: string) => new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex');

/** Runs the script as `curl … | sh -s -- ARGS` does, in an empty folder. */
async function pipe(into: string, args: string[], { text = script, env = {} } = {}) {
  const cwd = mkdtempSync(join(dir, 'cwd-'));
  const child = Bun.spawn(['sh', '-s', '--', ...args], {
    cwd,
    env: { ...process.env, DESTDIR: into, TMPDIR: dir, ...env },
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, output: output + errors };
}

const installed = (into: string) => readFileSync(join(into, 'usr/local/bin/postern'), 'utf8');
const at = (path: string) => `http://127.0.0.1:${server.port}/${path}`;

describe('install.sh through a pipe', () => {
  const into = join(dir, 'root');

  test('installs the archive for this machine from the folder of a release', async () => {
    const { exitCode, output } = await pipe(into, ['--from', at('1.0/')]);
    expect(output).toContain('Installed: postern 1.0');
    expect(exitCode).toBe(0);
    expect(existsSync(join(into, 'etc/systemd/system/postern.service'))).toBe(true);
    expect(existsSync(join(into, 'usr/local/share/doc/postern/docs/server.md'))).toBe(true);
  });

  test('upgrades from a named archive, from a file, and from a bare executable, which keeps the unit', async () => {
    const unit = join(into, 'etc/systemd/system/postern.service');
    expect((await pipe(into, ['--from', at(`2.0/${archive('2.0')}`)])).output).toContain(
      'Upgraded: postern 2.0',
    );
    writeFileSync(unit, 'mine');
    const bare = await pipe(into, ['--from', join(releases, '1.0', `postern-1.0-${own}`), '--allow-older']);
    expect(bare.output).toContain('Upgraded: postern 1.0');
    expect(readFileSync(unit, 'utf8')).toBe('mine');
    const file = await pipe(into, ['--from', join(releases, '2.0')]);
    expect(file.output).toContain('Upgraded: postern 2.0');
    expect(readFileSync(unit, 'utf8')).not.toBe('mine');
  });

  test('trusts the checksum on the command line instead of the one beside the file', async () => {
    const right = sum(join(releases, '1.0', archive('1.0')));
    const from = at(`2.0/${archive('2.0')}`);
    const { exitCode, output } = await pipe(into, ['--from', from, '--sha256', right]);
    expect([exitCode, installed(into)]).toEqual([1, expect.stringContaining('2.0')]);
    expect(output).toContain('is damaged or is not the file that was released; nothing was changed');
    const older = ['--from', at(`1.0/${archive('1.0')}`), '--sha256', right, '--allow-older'];
    const given = await pipe(into, older);
    expect(given.output).toContain('Upgraded: postern 1.0');
    await pipe(into, ['--from', at('2.0/')]);
  });

  test.each([
    ['1.0', '2.0', 'is older than what is installed: postern 2.0'],
    ['2.0-rc.1', '2.0', 'is older than'],
    ['2.0', '2.0-rc.1', 'Upgraded: postern 2.0'],
    ['2.0', '10.0', 'is older than'],
    ['2.0', '2.0', 'Upgraded: postern 2.0'],
    ['2.0', 'dev', 'Upgraded: postern 2.0'],
  ])('says about %s over %s: %s', async (offered, there, answer) => {
    const onto = mkdtempSync(join(dir, 'older-'));
    mkdirSync(join(onto, 'usr/local/bin'), { recursive: true });
    writeFileSync(join(onto, 'usr/local/bin/postern'), `#!/bin/sh\necho postern ${there}\n`, { mode: 0o755 });
    if (!existsSync(join(releases, offered))) makeRelease(offered);
    const { output } = await pipe(onto, ['--from', at(`${offered}/`)]);
    expect(output).toContain(answer);
    expect(installed(onto).includes(`postern ${there}\n`)).toBe(
      answer.startsWith('is older') || offered === there,
    );
  });

  test('leaves whole files when it is killed before any line that changes something, and the next run finishes', async () => {
    const lines = script.split('\n');
    const [from, to] = ['create_user() {', 'restart_service() {'].map((line) => lines.indexOf(line)) as [
      number,
      number,
    ];
    const [old, fresh] = ['1.0', '2.0'].map((version) => `#!/bin/sh\necho postern ${version}\n`) as [
      string,
      string,
    ];
    const unit = readFileSync(join(repository, 'systemd/postern.service'), 'utf8');
    const before = mkdtempSync(join(dir, 'before-'));
    await pipe(before, ['--from', join(releases, '1.0/')]);
    writeFileSync(join(before, 'etc/postern/postern.env'), 'MINE=1');
    // A killed script can't remove its download.
    const env = { TMPDIR: mkdtempSync(join(dir, 'downloads-')) };
    const changing = Array.from({ length: to - from }, (_, index) => from + index).filter(
      (line) => /^ {2,}[a-z[]/.test(lines[line]!) && !/\\$/.test(lines[line - 1]!),
    );
    let kills = 0;
    const known = new Set<string>();
    const kill = async (line: number) => {
      const text = [...lines.slice(0, line), 'kill -KILL $$', ...lines.slice(line)].join('\n');
      const onto = join(dir, `killed-${line}`);
      cpSync(before, onto, { recursive: true });
      const { exitCode } = await pipe(onto, ['--from', join(releases, '2.0/')], { text, env });
      if (exitCode !== 137) return;
      kills++;
      expect([old, fresh]).toContain(installed(onto));
      expect(readFileSync(join(onto, 'etc/systemd/system/postern.service'), 'utf8')).toBe(unit);
      // The next run does the same for all kills that left the same files.
      const state = describeFiles(onto);
      if (known.has(state)) return;
      known.add(state);
      await pipe(onto, ['--from', join(releases, '2.0/')], { env });
      expect(installed(onto)).toBe(fresh);
      expect(readFileSync(join(onto, 'etc/postern/postern.env'), 'utf8')).toBe('MINE=1');
      expect(readdirSync(join(onto, 'usr/local/share/doc/postern')).sort()).toEqual(['README.md', 'docs']);
      expect(readdirSync(join(onto, 'usr/local/bin')).filter((name) => name.endsWith('.new'))).toEqual([]);
    };
    const left = changing.values();
    const worker = async () => {
      for (const line of left) await kill(line);
    };
    await Promise.all([worker(), worker()]);
    expect(kills).toBeGreaterThan(20);
  }, 120_000);

  test('leaves no download behind, whether it worked or not', async () => {
    await pipe(into, ['--from', at('nowhere/')]);
    expect(readdirSync(dir).filter((name) => name.startsWith('postern-install'))).toEqual([]);
  });

  test('runs nothing of a script that is cut off anywhere in its last lines', async () => {
    const nowhere = join(dir, 'cut');
    const cuts = [2, 3, 5, 8, 10, 12, 16, 20, 40, 80, 200, 1000, 4000];
    for (const cut of cuts) {
      const { exitCode } = await pipe(nowhere, ['--from', at('1.0/')], { text: script.slice(0, -cut) });
      expect([cut, exitCode === 0, existsSync(nowhere)]).toEqual([cut, false, false]);
    }
  });

  test('uses nothing from the current folder without --from', async () => {
    const { exitCode, output } = await pipe(join(dir, 'none'), []);
    expect([exitCode, output]).toEqual([1, expect.stringContaining('needs --from URL')]);
  });
});

describe('install.sh changes nothing and says what to do about', () => {
  const into = join(dir, 'kept');
  beforeAll(async () => {
    await pipe(into, ['--from', at('1.0/')]);
    makeRelease('3.0');
    const path = join(releases, '3.0', archive('3.0'));
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    makeRelease('4.0', '#!/bin/sh\necho broken >&2\nexit 126\n');
    makeRelease('5.0');
    writeFileSync(join(releases, '5.0', archive('5.0')), 'this is no archive');
    writeSums('5.0');
    mkdirSync(join(releases, '6.0'));
    writeFileSync(join(releases, '6.0/SHA256SUMS'), `${'0'.repeat(64)}  something-else.tar.gz\n`);
  });

  const cases: [string, () => string, string][] = [
    ['a damaged archive', () => at('3.0/'), 'Download it again'],
    ['an executable that does not run here', () => at('4.0/'), 'does not run on this machine'],
    ['a file that is not an archive', () => at('5.0/'), 'could not be unpacked'],
    ['a release without this machine', () => at('6.0/'), 'lists no archive for this machine'],
    ['an archive without a checksum', () => at(`6.0/${archive('6.0')}`), 'has no checksum of'],
    ['an archive for another machine', () => at(`1.0/${archive('1.0', other)}`), 'is for another machine'],
    ['a release that does not exist', () => at('7.0/'), 'check the address and the version'],
    ['a file that does not exist', () => join(dir, 'no/such.tar.gz'), 'does not exist'],
    ['a server that sends without end', () => at('endless/'), 'sends far more than a release has'],
    ['a redirect to a plain connection elsewhere', () => at('away/'), 'could not be downloaded'],
    ['a plain connection elsewhere', () => 'http://example.com/1.0/', 'must begin with https://'],
    [
      'a host that only begins like loopback',
      () => 'http://127.0.0.1.example.com/1.0/',
      'must begin with https://',
    ],
    ['another protocol', () => 'ftp://127.0.0.1/1.0/', 'must begin with https://'],
    ['a name that is a pattern', () => at('1.0/post*'), 'must end in the name of a file'],
    ['a server that is down', () => 'http://127.0.0.1:1/1.0/', 'Check the address and the network'],
  ];
  test.each(cases)('%s', async (_, from, advice) => {
    const { exitCode, output } = await pipe(into, ['--from', from()]);
    expect(output).toContain(advice);
    expect([exitCode, installed(into)]).toEqual([1, expect.stringContaining('1.0')]);
    expect(readdirSync(join(into, 'usr/local/bin'))).toEqual(['postern']);
  });

  test('a disk without room for the download', async () => {
    // A limit on the file size imitates a full disk: a write fails in the middle.
    const { exitCode, output } = await pipe(into, ['--from', join(releases, '2.0', archive('2.0'))], {
      text: `ulimit -f 8; trap '' XFSZ\n${script}`,
    });
    expect([exitCode, output]).toEqual([1, expect.stringContaining('set TMPDIR to a folder')]);
    expect(installed(into)).toContain('1.0');
  });

  test('a bare executable as the first install', async () => {
    const from = join(releases, '1.0', `postern-1.0-${own}`);
    const { exitCode, output } = await pipe(join(dir, 'first'), ['--from', from]);
    expect([exitCode, output]).toEqual([1, expect.stringContaining('A first install needs the archive')]);
  });
});
