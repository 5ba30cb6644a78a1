import { openCLibrary } from '../system/c-library.ts';
import { Channel } from './channel.ts';
import { type Frame, HEARTBEAT } from './frames.ts';

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** The descriptor of a child process's channel (platform/process/watched-process.ts). */
const CHANNEL_DESCRIPTOR = 3;

/** Opens the child's end of the channel. The process ends with its parent, because nobody then needs its results. */
export function openParent(onFrames: (frames: Frame[]) => void): Channel {
  dieWithParent();
  const parent = new Channel(CHANNEL_DESCRIPTOR, { onFrames, onEnd: () => process.exit(0) });
  parent.send([HEARTBEAT]);
  return parent;
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
