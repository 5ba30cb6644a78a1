/**
 * Runs install.sh as on a machine of its own: in a mount namespace with other folders at /etc, /var, /run and /usr/local,
 * and with stand-ins for systemd and for the commands that create users. Needs root.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { which } from 'bun';
import { describeFiles } from './described-files.ts';

export const canMount =
  Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0;
if (!canMount) console.warn('SKIPPED: the tests that run install.sh on a machine of its own need root');

const repository = resolve(import.meta.dir, '..');

/** All external commands that install.sh uses, except those for downloads. */
const COMMANDS =
  'cat chmod chgrp chown cp dirname env find flock getent groupadd gzip head id ln ls mkdir mktemp mv rm rmdir sed sh sha256sum sleep sort sync tail tar timeout tr uname useradd'.split(
    ' ',
  );

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** Makes a folder for PATH with links to these commands of this machine. */
export function makeCommands(folder: string, names: readonly string[] = COMMANDS): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const found = which(name);
    if (found) symlinkSync(found, join(folder, name));
  }
  return folder;
}

/** Makes a folder like makeCommands, but with BusyBox for every command. */
export function makeBusyBox(folder: string, names: readonly string[] = COMMANDS): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) symlinkSync(which('busybox')!, join(folder, name));
  return folder;
}

/**
 * Makes a release folder. Its executable prints its version, and copies the store to a backup and back. Its version decides
 * what SYSTEMCTL does: one with `broken` in it does not start, and one with `migrates` changes the store (a file) so that
 * other versions can't open it.
 */
export function makeRelease(folder: string, version: string): string {
  for (const name of ['install.sh', 'systemd']) {
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  }
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/page.md'), version);
  writeFileSync(join(folder, 'README.md'), version);
  writeProgram(
    join(folder, 'postern'),
    `#!/bin/sh
case $1 in
  version) echo Postern ${version} ;;
  backup) cp /var/lib/postern/postern.db "$2" ;;
  restore) cp "$2" /var/lib/postern/postern.db ;;
  account) echo '[]' ;;
esac
`,
  );
  return folder;
}

/** A stand-in for systemctl. To start the service, it asks the installed executable for its version. */
const SYSTEMCTL = `#!/bin/sh
# Its own commands are not those of install.sh: it goes on when that is killed.
PATH=/usr/bin:/bin
case $1 in
  is-system-running) echo running ;;
  start | restart)
    rm -f /run/active
    : >/run/restarted
    running=$(/usr/local/bin/postern version) && [ -e /etc/systemd/system/postern.service ] || exit 1
    case $running in
      *migrates*) echo migrated >/var/lib/postern/postern.db ;;
      *) if grep -q migrated /var/lib/postern/postern.db; then exit 1; fi ;;
    esac
    case $running in *broken*) exit 1 ;; esac
    echo "$running" >/run/active
    ;;
  stop) rm -f /run/active ;;
  is-active) [ -e /run/active ] ;;
esac
`;

/**
 * Wraps a command so that it is counted, and noted by its name. The one whose number is KILL_AT kills install.sh, and does
 * not run unless a subshell of install.sh called it, which survives.
 */
const countCommand = (name: string, path: string) => `#!/bin/sh
# Each takes the first free number, in one step: the commands of a pipe run side by side.
set -C
n=1
while ! echo ${name} 2>/dev/null >/run/count/$n; do n=$((n + 1)); done
set +C
if [ $n = "$KILL_AT" ]; then
  read -r pid </run/pid
  kill -9 "$pid"
  [ "$PPID" != "$pid" ] || exit 0
fi
exec ${path} "$@" # ${name}
`;

/** A command of a run of install.sh: which one, and how many of its name there are up to it. */
interface CommandRun {
  name: string;
  nth: number;
}

const PLACES = ['etc', 'var', 'run', 'usr/local'];

export class Machine {
  private constructor(
    readonly folder: string,
    /** The folder of the machine whose commands it uses; usually its own. */
    private readonly tools = folder,
  ) {}

  static make(folder: string): Machine {
    for (const place of [...PLACES, 'var/tmp', 'var/lib', 'etc/systemd/system', 'run/count'])
      mkdirSync(join(folder, place), { recursive: true });
    makeCommands(join(folder, 'commands'));
    const machine = new Machine(folder);
    for (const name of ['getent', 'useradd', 'groupadd', 'chown', 'chgrp', 'sleep'])
      machine.replaceCommand(name, '#!/bin/sh\n');
    machine.replaceCommand('systemctl', SYSTEMCTL);
    return machine;
  }

  replaceCommand(name: string, text: string): void {
    const path = join(this.folder, 'commands', name);
    // It may be a link to a command of the real machine, which must not be overwritten.
    rmSync(path, { force: true });
    writeProgram(path, text);
  }

  /** Wraps all commands, so that `run` can count them, each in a folder of its own: a run is slower with each one it counts. */
  countCommands(): void {
    for (const name of this.countable) {
      const path = join(this.tools, 'commands', name);
      writeProgram(join(this.tools, 'counted', name, name), countCommand(name, path));
    }
  }

  private get countable(): string[] {
    const names = [...COMMANDS, 'systemctl'].filter((name) => name !== 'sh' && name !== 'env');
    return names.filter((name) => existsSync(join(this.tools, 'commands', name)));
  }

  copyTo(folder: string): Machine {
    cpSync(this.folder, folder, { recursive: true, verbatimSymlinks: true });
    return new Machine(folder);
  }

  /** Makes a copy that uses this machine's commands, because copying and deleting those takes most of a run's time. */
  branchTo(folder: string): Machine {
    for (const place of PLACES) cpSync(join(this.folder, place), join(folder, place), { recursive: true });
    return new Machine(folder, this.folder);
  }

  /** Runs install.sh of a release with all its commands counted, and lists them. */
  async listCommands(release: string, args: string[]): Promise<CommandRun[]> {
    await this.run(release, { args, counted: this.countable });
    const counts = new Map<string, number>();
    return Array.from(readdirSync(join(this.folder, 'run/count')), (_, index) => {
      const name = readFileSync(join(this.folder, `run/count/${index + 1}`), 'utf8').trim();
      const nth = (counts.get(name) ?? 0) + 1;
      counts.set(name, nth);
      return { name, nth };
    });
  }

  /** Runs install.sh of a release, and kills it before this command. */
  runUntil({ name, nth }: CommandRun, release: string, args: string[]) {
    return this.run(release, { args, counted: [name], env: { KILL_AT: String(nth) } });
  }

  /**
   * Runs install.sh of a release. `before` is a shell script that runs before it in the same namespace, as root. `counted`
   * names the commands that are counted.
   */
  async run(
    release: string,
    { args = [] as string[], env = {}, before = '', counted = [] as string[] } = {},
  ) {
    const { folder, tools } = this;
    const path = [...counted.map((name) => `counted/${name}`), 'commands']
      .map((name) => join(tools, name))
      .join(':');
    const binds = PLACES.map((place) => `mount --bind "${folder}/${place}" "/${place}"`).join(' && ');
    const script = `${binds} && { ${before || ':'}; } && echo $$ >/run/pid && PATH=$1 && shift && exec /bin/sh "$@"`;
    const child = Bun.spawn(
      ['unshare', '--mount', 'sh', '-c', script, 'sh', path, join(release, 'install.sh'), ...args],
      { env: { PATH: process.env.PATH, ...env }, stdout: 'pipe', stderr: 'pipe' },
    );
    const [out, errors, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return { exitCode, output: out + errors };
  }

  /** The version that the service runs; null if it is down. */
  get active(): string | null {
    const file = join(this.folder, 'run/active');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  }

  /** The version that systemd would start now; null if the unit or the executable is missing. */
  get startable(): string | null {
    const unit = join(this.folder, 'etc/systemd/system/postern.service');
    const program = join(this.folder, 'usr/local/bin/postern');
    if (!existsSync(unit) || !existsSync(program)) return null;
    return Bun.spawnSync([program, 'version']).stdout.toString().trim();
  }

  /** Describes all files, apart from those with which commands are counted. */
  describeFiles(): string {
    return PLACES.map((place) =>
      describeFiles(join(this.folder, place), (name) => place === 'run' && /^(count\b|pid$)/.test(name)),
    ).join('\n');
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** Lists the temporary files that an interrupted run has left. */
  listLeftovers(): string[] {
    const found = Bun.spawnSync(
      [
        'find',
        '.',
        '(',
        '-name',
        '*.new',
        '-o',
        '-name',
        '*.unproven',
        '-o',
        '-name',
        'postern-install.*',
        ')',
      ],
      { cwd: this.folder },
    );
    return found.stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.endsWith('.lock'));
  }
}
