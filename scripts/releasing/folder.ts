/** What every archive and package has beside the executable, in the layout of a release folder. */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.ts';

/** The documents, and the files that a link in one of them leads to. */
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
/** Files of the repository that go in unchanged. install.sh needs the first two. */
const copied = ['install.sh', 'systemd', ...documents, 'monitoring'];
/** They install a service of systemd. */
const onlyLinux = new Set(['install.sh', 'systemd']);

/** Printed by the program: file, and its command. */
const printed: Record<string, string[]> = {
  'completions/postern.bash': ['completion', 'bash'],
  'completions/_postern': ['completion', 'zsh'],
  'completions/postern.fish': ['completion', 'fish'],
  'man/postern.1': ['man'],
};

/** Files that are generated once for all archives: name to text. */
export type GeneratedFiles = Readonly<Record<string, string>>;

/** Creates the folder anew, without the executable. Modes are ours, whatever the umask of the clone was. */
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
