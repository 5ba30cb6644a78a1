/**
 * A child process whose system refuses seccomp(2) by a filter of its own, as that of a systemd unit does. Answers each job with an empty
 * head.
 */
import { dlopen, ptr } from 'bun:ffi';
import { encodeFrame } from '../../../src/platform/process/frames.ts';
import { openParent } from '../../../src/platform/process/parent.ts';
import { BpfProgram } from '../../../src/platform/system/bpf.ts';

const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP = process.arch === 'x64' ? 317 : 277;

const { program } = new BpfProgram([
  // The number of the call.
  [0x20, 0, 0, 0],
  [0x15, 0, 1, SECCOMP],
  // EPERM
  [0x06, 0, 0, 0x00050001],
  // It is allowed.
  [0x06, 0, 0, 0x7fff0000],
]);
const { symbols: libc } = dlopen('libc.so.6', {
  prctl: { args: ['i32', 'u64', 'ptr', 'u64', 'u64'], returns: 'i32' },
});
libc.prctl(PR_SET_NO_NEW_PRIVS, 1, null, 0, 0);
libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ptr(program), 0, 0);

const parent = openParent((frames) => parent.send(frames.map(() => encodeFrame({}))));
