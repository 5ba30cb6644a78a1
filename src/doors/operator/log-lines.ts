import type { Writable } from 'node:stream';

/** Text that waits for a reader of the log which has stopped reading: a stuck collector, a paused terminal. */
const WAITING_CHARACTERS_MAX = 1024 * 1024;

/**
 * Writes lines, together in each turn of the event loop: during a flood, a system call per line would cost a tenth of
 * the rate. While nobody reads, lines above the bound are left out; `onLeftOut` gets their number afterwards.
 */
export function gatherLines(out: Writable, onLeftOut: (count: number) => void): (line: string) => void {
  let lines = '';
  let leftOut = 0;
  let isSet = false;
  let isWriting = false;
  const schedule = () => {
    if (isSet || isWriting) return;
    isSet = true;
    setImmediate(flush);
  };
  const flush = () => {
    isSet = false;
    if (isWriting || lines === '') return;
    const [text, count] = [lines, leftOut];
    [lines, leftOut] = ['', 0];
    // The line that this writes goes into the buffer, which is empty now.
    if (count > 0) onLeftOut(count);
    isWriting = true;
    // Called when a pipe has taken all of it, and after an error.
    out.write(text, () => {
      isWriting = false;
      if (lines !== '') schedule();
    });
  };
  process.once('exit', () => lines !== '' && out.write(lines));
  return (line) => {
    if (lines.length + line.length > WAITING_CHARACTERS_MAX) {
      leftOut += 1;
      return;
    }
    lines += line;
    schedule();
  };
}
