/** A command's standard output. A full disk makes the command fail; a reader that stops early (`| head`) does not. */
import { readCode } from '../../platform/core/thrown.ts';
import { DONE, FAILED } from './exit-status.ts';
import { explainFileFault } from './file-fault.ts';

/** How long a stopping server waits for the reader of its log. */
const SERVER_WAIT_MS = 500;

/** Ends a command when its output can't be written. A server continues without output. */
export function watchOutput(isServer: boolean): { finish(): Promise<void> } {
  let isLost = false;
  process.stdout.on('error', (fault) => {
    isLost = true;
    if (!isServer) process.exit(reportLostOutput(fault));
  });
  return {
    /** Resolves when a pipe has accepted everything that was written. */
    async finish() {
      // The error of the last write comes on the next tick, and end() reports none.
      await new Promise((resolve) => setImmediate(resolve));
      // After an error, Bun never ends a stream to a file: end() would keep the processor busy for ever.
      if (isLost) return;
      await new Promise<void>((resolve) => {
        process.stdout.end(() => resolve());
        if (isServer) setTimeout(resolve, SERVER_WAIT_MS);
      });
    },
  };
}

/** Reports why standard output can't be written, and returns the exit status. */
export function reportLostOutput(fault: Error): number {
  if (readCode(fault) === 'EPIPE') return DONE;
  const text = explainFileFault({ ...fault, path: 'Standard output' });
  process.stderr.write(`${text ?? `Standard output can't be written: ${fault.message}`}\n`);
  return FAILED;
}
