/** Builds packages for Debian and Ubuntu. The files that are written by hand are in packaging/debian. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { version } from '../../package.json';
import type { Contents } from './archive.ts';
import { documents, fillFolder } from './folder.ts';
import { run } from './run.ts';

/** Debian's names for the targets that have packages. */
const architectures: Record<string, string> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

const handwritten = 'packaging/debian';
const maintainerScripts = ['preinst', 'postinst', 'prerm', 'postrm'];
const conffiles = ['/etc/postern/postern.env'];
const doc = 'usr/share/doc/postern';

/** The paths that Debian's policy requires, by path in the release folder. */
const places: Record<string, string> = {
  'systemd/postern.env': 'etc/postern/postern.env',
  'completions/postern.bash': 'usr/share/bash-completion/completions/postern',
  'completions/_postern': 'usr/share/zsh/vendor-completions/_postern',
  'completions/postern.fish': 'usr/share/fish/vendor_completions.d/postern.fish',
  'THIRD-PARTY.txt': `${doc}/THIRD-PARTY.txt`,
  'sbom.cdx.json': `${doc}/sbom.cdx.json`,
};
/** Documents that Debian's policy requires under another name, and only once. */
const renamed: Record<string, string> = { 'CHANGELOG.md': 'changelog.gz', LICENSE: 'copyright' };
const units = ['postern.service', 'postern-backup.service', 'postern-backup.timer'];

/** Writes `postern_<version>_<architecture>.deb`, if Debian has the target. */
export function packDeb(executable: string, target: string, contents: Contents): void {
  const architecture = architectures[target];
  if (!architecture) return;
  const work = mkdtempSync(join(tmpdir(), 'postern-deb-'));
  try {
    const root = join(work, 'root');
    fillRoot(root, join(work, 'folder'), executable, contents);
    writeControl(root, architecture);
    const deb = join(dirname(executable), `postern_${version}_${architecture}.deb`);
    // xz takes ten times as long for 9 % less, and Debian 12's lintian does not support zstd.
    const options = ['--root-owner-group', '-Zgzip', '-z6'];
    run(['dpkg-deb', ...options, '--build', root, deb], {
      env: { SOURCE_DATE_EPOCH: String(contents.epoch) },
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

function fillRoot(root: string, folder: string, executable: string, { epoch, generated }: Contents): void {
  fillFolder(folder, 'linux', generated);
  const put = (to: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    writeFileSync(join(root, to), content);
  };
  for (const [from, to] of Object.entries(places))
    cpSync(join(folder, from), join(root, to), { recursive: true });
  putDocuments(folder, join(root, doc));
  for (const name of units) put(`usr/lib/systemd/system/${name}`, moveUnit(join(folder, 'systemd', name)));
  put('usr/share/man/man1/postern.1.gz', gzip(readFileSync(join(folder, 'man/postern.1'), 'utf8')));
  put(`${doc}/changelog.gz`, gzip(readFileSync('CHANGELOG.md', 'utf8')));
  put(`${doc}/changelog.Debian.gz`, gzip(writeChangelog(epoch)));
  put(`${doc}/copyright`, readFileSync(join(handwritten, 'copyright')));
  put('usr/share/lintian/overrides/postern', readFileSync(join(handwritten, 'lintian-overrides')));
  put('usr/bin/postern', readFileSync(executable));
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name);
    chmodSync(path, statSync(path).isDirectory() || name === 'usr/bin/postern' ? 0o755 : 0o644);
  }
}

/** Copies the documents, with links to the names that they have in a package. */
export function putDocuments(folder: string, into: string): void {
  for (const name of documents.filter((name) => !(name in renamed)))
    cpSync(join(folder, name), join(into, name), { recursive: true });
  for (const name of listFiles(into).filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(into, name), 'utf8');
    const linked = text.replace(
      /(\]\((?:\.\.\/)*)(CHANGELOG\.md|LICENSE)(?=[)#])/g,
      (_, start: string, name: string) => start + renamed[name],
    );
    writeFileSync(join(into, name), linked);
  }
}

/** Changes the unit's paths: install.sh puts everything into /usr/local, where a package must not put anything. */
const moveUnit = (file: string) => readFileSync(file, 'utf8').replaceAll('/usr/local/', '/usr/');

/** Compresses without a time or a name in the header. */
const gzip = (text: string) => Bun.gzipSync(Buffer.from(text), { level: 9 });

function writeChangelog(epoch: number): string {
  const day = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  const maintainer = /^Maintainer: (.*)$/m.exec(readFileSync(join(handwritten, 'control'), 'utf8'))?.[1];
  return `postern (${version}) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- ${maintainer}  ${day}\n`;
}

function writeControl(root: string, architecture: string): void {
  const files = listFiles(root);
  const bytes = files.reduce((sum, name) => sum + statSync(join(root, name)).size, 0);
  const values: Record<string, string> = {
    VERSION: version,
    ARCHITECTURE: architecture,
    SIZE: String(Math.ceil(bytes / 1024)),
  };
  const control = join(root, 'DEBIAN');
  mkdirSync(control);
  const text = readFileSync(join(handwritten, 'control'), 'utf8');
  writeFileSync(
    join(control, 'control'),
    text.replace(/%(\w+)%/g, (_, name: string) => values[name]!),
  );
  writeFileSync(join(control, 'conffiles'), conffiles.map((file) => `${file}\n`).join(''));
  const summed = files.filter((name) => !conffiles.includes(`/${name}`));
  writeFileSync(
    join(control, 'md5sums'),
    summed.map((name) => `${sum(join(root, name))}  ${name}\n`).join(''),
  );
  for (const name of maintainerScripts) {
    copyFileSync(join(handwritten, name), join(control, name));
    chmodSync(join(control, name), 0o755);
  }
}

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

/** Returns the MD5 sum that dpkg --verify compares. It finds damaged files, and is not for security. */
const sum = (file: string) => new Bun.CryptoHasher('md5').update(readFileSync(file)).digest('hex');
