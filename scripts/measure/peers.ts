/** The servers that ours is compared with. They are installed into .tools/ in pinned versions. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildGoProgram, type GoProgram, goProgramPath } from '../go-program.ts';
import { freePort, stop, waitForPort } from './processes.ts';
import { makeDataDir, removeDataDir, type Target } from './targets.ts';

const tools = resolve(import.meta.dir, '../../.tools');
const MAILDEV_VERSION = '2.2.1';

const goPeers = {
  mailpit: {
    name: 'mailpit',
    module: 'github.com/axllent/mailpit@v1.28.0',
    command: '.',
    sum: 'h1:XEPABW9braGOXaqWbK/R2qEXMdfKZHDETDQfsw85kvk=',
  },
  inbucket: {
    name: 'inbucket',
    module: 'github.com/inbucket/inbucket/v3@v3.1.1',
    command: './cmd/inbucket',
    sum: 'h1:HAyYnhQBYiSxC6QDdhyp/eeIlfOFickgurbki0Ap9Fs=',
  },
} satisfies Record<string, GoProgram>;

export type StartPeer = () => Promise<Target>;

type GoPeer = keyof typeof goPeers;

/** Returns the Go peers that this machine has or can build. Prints which are left out, and why. */
export function findGoPeers(names = Object.keys(goPeers) as GoPeer[]): StartPeer[] {
  const starts = { mailpit: startMailpit, inbucket: startInbucket };
  return names.flatMap((name) => {
    const reason = buildGoProgram(goPeers[name]);
    if (reason) console.log(`${name}: SKIPPED, ${reason}`);
    return reason ? [] : [starts[name]];
  });
}

/**
 * Returns Mailpit with its pages, which its module has only as sources. Returns null, and prints why, if it can't be built.
 */
export function findMailpitWithPages(): StartPeer | null {
  const reason = buildGoProgram(goPeers.mailpit) ?? buildMailpitPages();
  if (reason) console.log(`mailpit: SKIPPED, ${reason}`);
  return reason ? null : startMailpit;
}

function buildMailpitPages(): string | null {
  const program = goProgramPath(goPeers.mailpit);
  const cwd = join(dirname(program), 'source');
  if (existsSync(join(cwd, 'server/ui/dist/app.js'))) return null;
  if (!Bun.which('npm') || !Bun.which('go')) return 'its pages need npm and Go';
  console.log('building the pages of Mailpit …');
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOSUMDB: 'off', CGO_ENABLED: '0' };
  for (const command of [
    ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    ['npm', 'run', 'build'],
    // Into a new file: another bench may be running the old one.
    ['go', 'build', '-o', `${program}-draft`, '.'],
    ['mv', `${program}-draft`, program],
  ]) {
    const done = Bun.spawnSync(command, { env, cwd });
    if (done.exitCode !== 0) return `${command.join(' ')} failed: ${done.stderr}`;
  }
  return null;
}

/** Mailpit stores mail in SQLite and syncs nothing. Its bound of 500 messages is off, because the others keep everything. */
async function startMailpit(): Promise<Target> {
  const [smtpPort, webPort] = [await freePort(), await freePort()];
  const dir = makeDataDir();
  const listen = ['--smtp', `127.0.0.1:${smtpPort}`, '--listen', `127.0.0.1:${webPort}`];
  const keep = ['--database', join(dir, 'mailpit.db'), '--max', '0', '--quiet', '--disable-version-check'];
  const mailpit = await startPeer(
    'Mailpit',
    [goProgramPath(goPeers.mailpit), ...listen, ...keep],
    smtpPort,
    dir,
  );
  return { ...mailpit, web: `http://127.0.0.1:${webPort}` };
}

/** Inbucket keeps mail in memory, up to 500 per mailbox, which is its default. */
async function startInbucket(): Promise<Target> {
  const [smtpPort, webPort, popPort] = [await freePort(), await freePort(), await freePort()];
  const dir = makeDataDir();
  return startPeer('Inbucket', [goProgramPath(goPeers.inbucket)], smtpPort, dir, {
    INBUCKET_SMTP_ADDR: `127.0.0.1:${smtpPort}`,
    INBUCKET_WEB_ADDR: `127.0.0.1:${webPort}`,
    INBUCKET_POP3_ADDR: `127.0.0.1:${popPort}`,
    INBUCKET_WEB_UIDIR: dir,
    INBUCKET_LOGLEVEL: 'error',
  });
}

async function startPeer(
  name: string,
  command: string[],
  smtpPort: number,
  dir: string,
  env: Record<string, string> = {},
): Promise<Target> {
  const child = Bun.spawn(command, {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await waitForPort(smtpPort);
  const dispose = async () => {
    await stop(child);
    removeDataDir(dir);
  };
  return { name, smtpPort, recipient: 'ann@postern.test', pid: child.pid, [Symbol.asyncDispose]: dispose };
}

/** A folder in memory, where Linux has one. */
const MEMORY_DIR = existsSync('/dev/shm') ? '/dev/shm' : undefined;

/**
 * MailDev on Node keeps the parsed mail in memory, and the mail in a file that it does not sync. The files are in memory
 * here, because on a disk its rate depends on what creating files costs at the moment: 4,500 per second in one run and
 * 1,900 in the next.
 */
export async function startMailDev(): Promise<Target> {
  const dir = join(tools, `maildev-${MAILDEV_VERSION}`);
  const program = join(dir, 'node_modules/maildev/bin/maildev');
  if (!existsSync(program)) {
    console.log(`installing MailDev ${MAILDEV_VERSION} …`);
    mkdirSync(dir, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    const done = Bun.spawnSync(['npm', 'install', ...flags, '--prefix', dir, `maildev@${MAILDEV_VERSION}`]);
    if (done.exitCode !== 0) throw new Error(`MailDev could not be installed: ${done.stderr}`);
  }
  const [smtpPort, webPort] = [await freePort(), await freePort()];
  const mailDir = makeDataDir(MEMORY_DIR);
  const listen = ['--smtp', String(smtpPort), '--web', String(webPort), '--ip', '127.0.0.1'];
  const command = ['node', program, ...listen, '--mail-directory', mailDir, '--silent'];
  return startPeer('MailDev', command, smtpPort, mailDir);
}

/** Postfix's smtp-sink: accepts mail and discards it, which is as fast as the protocol allows. */
export async function startSmtpSink(): Promise<Target> {
  const program = Bun.which('smtp-sink', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error("smtp-sink is missing; it is in Debian's package postfix");
  const smtpPort = await freePort();
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  return startPeer(
    'smtp-sink',
    [program, ...asUser, `127.0.0.1:${smtpPort}`, '1000'],
    smtpPort,
    makeDataDir(),
  );
}
