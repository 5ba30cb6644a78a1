import { readReason } from '../core/thrown.ts';
import { openCLibrary } from '../system/c-library.ts';
import { type Allowances, confine } from '../system/confine.ts';
import { takeFile } from '../system/passed-files.ts';
import { Channel } from './channel.ts';
import { encodeGreeting, type Frame } from './frames.ts';

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** The descriptor of a child process's channel (platform/process/watched-process.ts). */
const CHANNEL_DESCRIPTOR = 3;
/** The descriptor of the socket over which it is passed files. */
const FILES_DESCRIPTOR = 4;

/**
 * Opens the child's end of the channel. The process ends with its parent, because nobody then needs its results, and from now on
 * may do no more than it must.
 */
export function openParent(onFrames: (frames: Frame[]) => void, { internet = false } = {}): Channel {
  dieWithParent();
  const unconfined = tryToConfine({ internet, files: !isExecutable });
  const parent = new Channel(CHANNEL_DESCRIPTOR, { onFrames, onEnd: () => process.exit(0) });
  parent.send([encodeGreeting({ unconfined })]);
  return parent;
}

/** From sources, parts of the program are files, which are opened when they are first needed. */
const isExecutable = import.meta.path.startsWith('/$bunfs');

/** Returns why this system, if it is Linux, does not let the process confine itself; otherwise null. */
function tryToConfine(allowances: Allowances): string | null {
  if (process.platform !== 'linux') return null;
  try {
    confine(allowances);
    return null;
  } catch (fault) {
    return readReason(fault);
  }
}

/** Takes the next file that the parent has passed. Returns its descriptor, which the caller closes. */
export function takePassedFile(): number {
  return takeFile(FILES_DESCRIPTOR);
}

/**
 * A child that is busy with a hostile mail does not notice that its channel has ended, so the kernel kills it
 * (prctl(2)).
 */
function dieWithParent(): void {
  try {
    const libc = openCLibrary({
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    });
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  } catch {
    // Only Linux has prctl. Elsewhere, the process ends when its work is done.
  }
}
