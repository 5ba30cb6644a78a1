/** Makes the release folder: the files that every archive and package has beside the executable. */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.ts';

/** The documents, and the files that they link to. */
export const documents = [
  'README.md',
  'docs',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'src/README.md',
  'clients/typescript/README.md',
  'clients/typescript/docs',
  'clients/python/README.md',
  'containers',
  'examples',
];
/** Files of the repository that are copied unchanged. install.sh needs the first two. */
const copied = ['install.sh', 'systemd', ...documents, 'monitoring'];
/** Files for systemd. */
const onlyLinux = new Set(['install.sh', 'systemd']);

/** Files that the program prints, with the command for each. */
const printed: Record<string, string[]> = {
  'completions/postern.bash': ['completion', 'bash'],
  'completions/_postern': ['completion', 'zsh'],
  'completions/postern.fish': ['completion', 'fish'],
  'man/postern.1': ['man'],
};

/** The text of files that are generated once for all archives, by name. */
export type GeneratedFiles = Readonly<Record<string, string>>;

/** Creates the folder from scratch, without the executable. File modes are the same whatever umask the clone had. */
export function fillFolder(folder: string, os: 'linux' | 'darwin', generated: GeneratedFiles): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of copied) {
    if (os === 'linux' || !onlyLinux.has(name)) cpSync(name, join(folder, name), { recursive: true });
  }
  for (const [name, text] of Object.entries(generated)) writeFileSync(join(folder, name), text);
  for (const [name, command] of Object.entries(printed)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, run([process.execPath, 'src/main.ts', ...command]));
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() || name === 'install.sh' ? 0o755 : 0o644);
  }
}
