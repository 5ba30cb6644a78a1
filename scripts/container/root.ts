/**
 * Makes the files of the image: the executable, the libraries that it is linked to, root certificates, one user, and an
 * empty /data.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { libraries, libraryPackages, type Platform, platforms } from './platforms.ts';

/** The user that the program runs as. Other images without a shell have the same one, so that volumes can be shared. */
export const USER_ID = 65_532;

/** Where Debian's packages are kept between builds. */
const CACHE = resolve('.tools/image-packages');

export function makeRoot(platform: Platform, executable: string, root: string): void {
  const { loader, tuple } = platforms[platform];
  const packages = unpackAll(platform);
  const put = (from: string, to: string, mode = 0o644) => {
    const target = join(root, to);
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    copyFileSync(from, target);
    chmodSync(target, mode);
  };
  put(executable, 'postern', 0o755);
  // Found by name: Debian has some in /lib, some in /usr/lib, and those for another machine in a folder of its own.
  const find = (name: string) => findFile(packages, name);
  put(find(basename(loader)), loader, 0o755);
  for (const name of libraries) put(find(name), join('lib', tuple, name));
  for (const name of libraryPackages) put(findCopyright(packages, name), `usr/share/doc/${name}/copyright`);
  put('LICENSE', 'usr/share/doc/postern/LICENSE');
  const write = (to: string, text: string) => {
    mkdirSync(dirname(join(root, to)), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, to), text, { mode: 0o644 });
  };
  write('etc/ssl/certs/ca-certificates.crt', joinCertificates(packages));
  write('etc/passwd', `root:x:0:0:root:/:/\npostern:x:${USER_ID}:${USER_ID}:Postern:/data:/\n`);
  write('etc/group', `root:x:0:\npostern:x:${USER_ID}:\n`);
  write('etc/nsswitch.conf', 'hosts: files dns\n');
  // It belongs to the user in the layer. It must exist here for the Dockerfile's COPY.
  mkdirSync(join(root, 'data'), { mode: 0o750 });
}

/** Unpacks all packages, each into its own folder, and returns the folders. */
function unpackAll(platform: Platform): string[] {
  const { arch } = platforms[platform];
  const isOwn = arch === (process.arch === 'arm64' ? 'arm64' : 'amd64');
  const names = libraryPackages.map((name) => (isOwn ? name : `${name}-${arch}-cross`));
  return [...names, 'ca-certificates'].map(unpack);
}

/** Unpacks the latest version of a package that apt has; or, without the network, the one from an earlier build. */
function unpack(name: string): string {
  mkdirSync(CACHE, { recursive: true });
  // Without this option, apt warns that its own user can't write here.
  const options = ['-qq', '-o', 'APT::Sandbox::User=root'];
  const done = Bun.spawnSync(['apt-get', 'download', ...options, name], {
    cwd: CACHE,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const files = readdirSync(CACHE).filter((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
  const newest = files.sort((one, two) =>
    Bun.spawnSync(['dpkg', '--compare-versions', readVersion(one), 'gt', readVersion(two)]).exitCode === 0
      ? -1
      : 1,
  )[0];
  if (!newest) {
    throw new Error(
      `Debian's package ${name} can't be downloaded: ${done.stderr.toString().trim()}\nThe image needs the C library in it. Run this on Debian or Ubuntu, after apt-get update.`,
    );
  }
  const folder = join(CACHE, newest.replace(/\.deb$/, ''));
  if (existsSync(join(folder, 'usr'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  const unpacked = Bun.spawnSync(['dpkg-deb', '-x', join(CACHE, newest), folder]);
  if (unpacked.exitCode !== 0) throw new Error(`${newest} is damaged: ${unpacked.stderr}`);
  return folder;
}

const readVersion = (file: string) => decodeURIComponent(file.split('_')[1] ?? '');

function findFile(folders: readonly string[], name: string): string {
  for (const folder of folders) {
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
      (path) => basename(path) === name && existsSync(join(folder, path)),
    );
    if (found) return join(folder, found);
  }
  throw new Error(`no package has ${name}`);
}

function findCopyright(folders: readonly string[], name: string): string {
  const own = folders.find((folder) => basename(folder).startsWith(name)) ?? '';
  const found = readdirSync(own, { recursive: true, encoding: 'utf8' }).find(
    (path) => /doc\/[^/]+\/copyright$/.test(path) && existsSync(join(own, path)),
  );
  // Debian links a package's copyright to that of another package from the same source.
  return found ? join(own, found) : findFile(folders, 'copyright');
}

/** Returns Mozilla's root certificates in one text, as update-ca-certificates does. */
function joinCertificates(folders: readonly string[]): string {
  const folder = folders.map((each) => join(each, 'usr/share/ca-certificates/mozilla')).find(existsSync);
  if (!folder) throw new Error('ca-certificates has no roots');
  const files = readdirSync(folder).filter((file) => file.endsWith('.crt'));
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('');
}
