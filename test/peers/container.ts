/**
 * Runs the image's files like a container: in its own namespaces, on a read-only root, without capabilities, as another
 * user than root, and with only the mounts of a runtime. For machines where no container runtime works; needs root,
 * util-linux and iproute2.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from './tools.ts';

/** The container's address besides loopback. A client at it is on another network. */
export const OUTSIDE = '10.9.9.1';

const SETUP = `set -e
ip link set lo up; ip addr add ${OUTSIDE}/24 dev lo
mount --bind "$ROOT" "$ROOT"
mount -t tmpfs -o mode=755 tmpfs "$ROOT/dev"
for device in null zero full random urandom; do touch "$ROOT/dev/$device"; mount --bind /dev/$device "$ROOT/dev/$device"; done
mkdir "$ROOT/dev/shm"; mount -t tmpfs -o mode=1777,size=64m tmpfs "$ROOT/dev/shm"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o "$VOLUME" tmpfs "$ROOT/data"
mount -o remount,bind,ro "$ROOT"
unset ROOT VOLUME
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid chroot --userspec="$OWNER" "$@"`;

const PLAIN_VOLUME = 'mode=750,uid=65532,gid=65532';

export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Healthcheck: { Test: string[] };
}

export interface ContainerOptions {
  /** The folder with the unpacked layer. */
  root: string;
  config: ImageConfig;
  command?: string[];
  env?: Record<string, string>;
  /** Mount options of the tmpfs that serves as the volume. */
  volume?: string;
}

export interface Container extends AsyncDisposable {
  /** What it has printed so far. */
  printed(): string;
  /** Resolves once it has printed this. */
  prints(text: string): Promise<void>;
  /** Runs a tool of this machine in the container's network. */
  outside(command: string[], input?: string): Promise<{ exitCode: number; output: string }>;
  /** Runs a program of the container, as its health check does. */
  inside(command: string[]): Promise<{ exitCode: number; output: string }>;
  signal(name: NodeJS.Signals): void;
  exited: Promise<number>;
}

/** Returns whether this machine can run such a container. */
export async function canContain(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const { exitCode } = await runTool([
    ...['unshare', '--mount', '--pid', '--net', '--fork', 'sh', '-c'],
    'ip link set lo up && mount -t tmpfs tmpfs /mnt && command -v setpriv nsenter',
  ]);
  return exitCode === 0;
}

/** Unpacks the only layer of the image for an architecture, and returns its folder and the image's configuration. */
export async function unpackImage(
  layout: string,
  arch: string,
): Promise<{ root: string; config: ImageConfig }> {
  const readBlob = (digest: string) =>
    JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'));
  const [named] = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests;
  const index = readBlob(named.digest);
  const manifest = readBlob(
    index.manifests.find((one: { platform: { architecture: string } }) => one.platform.architecture === arch)
      .digest,
  );
  const root = mkdtempSync(join(tmpdir(), 'postern-image-'));
  // The program's user must be able to enter the folder.
  chmodSync(root, 0o755);
  const layer = join(layout, 'blobs', manifest.layers[0].digest.replace(':', '/'));
  const { exitCode, output } = await runTool(['tar', '--zstd', '-xpf', layer, '-C', root], '', 60_000);
  if (exitCode !== 0) throw new Error(`the layer can't be unpacked: ${output}`);
  // A runtime mounts something here.
  for (const name of ['dev', 'proc']) mkdirSync(join(root, name));
  return { root, config: readBlob(manifest.config.digest).config };
}

function spawn({ root, config, command = config.Cmd, env = {}, volume = PLAIN_VOLUME }: ContainerOptions) {
  const own = Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  return Bun.spawn(
    [
      ...['unshare', '--mount', '--pid', '--net', '--fork', '--kill-child', 'sh', '-c', SETUP, 'sh'],
      root,
      ...config.Entrypoint,
      ...command,
    ],
    {
      env: {
        ...own,
        ...env,
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        ROOT: root,
        VOLUME: volume,
        OWNER: config.User,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

export function startContainer(options: ContainerOptions): Container {
  const { root, config } = options;
  const child = spawn(options);
  let text = '';
  const watchers = new Set<() => void>();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const piece of stream) {
      text += decoder.decode(piece, { stream: true });
      for (const watch of watchers) watch();
    }
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  /** Returns the id of the program, which is process 1 in the container. */
  const readPid = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  const enter = (...flags: string[]) => ['nsenter', '-t', readPid(), ...flags];
  const exited = Promise.all([child.exited, reading]).then(([code]) => code);
  return {
    printed: () => text,
    prints: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => text.includes(wanted) && resolve();
        watchers.add(look);
        look();
        void exited.then((code) => reject(new Error(`it ended with ${code}: ${text}`)));
      }),
    outside: (tool, input) => runTool([...enter('--net'), ...tool], input),
    inside: (program) =>
      runTool([
        // With BUN_BE_BUN, which scripts/test sets, the executable would be plain Bun.
        ...['env', '-u', 'BUN_BE_BUN'],
        ...enter('--net', '--mount', '--pid'),
        'chroot',
        `--userspec=${config.User}`,
        root,
        ...program,
      ]),
    signal: (name) => process.kill(Number(readPid()), name),
    exited,
    async [Symbol.asyncDispose]() {
      // Kills the program, and unshare ends with it. A program that has changed its user would outlive unshare.
      if (child.exitCode === null && readPid() !== '') process.kill(Number(readPid()), 'SIGKILL');
      await exited;
    },
  };
}
