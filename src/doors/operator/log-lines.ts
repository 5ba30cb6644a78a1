import type { Writable } from 'node:stream';

/** Bound on text that waits for a reader that has stopped reading: a stuck log collector, a paused terminal. */
const WAITING_CHARACTERS_MAX = 1024 * 1024;

/**
 * Returns a function that writes lines, all of one turn of the event loop together: during a flood, a system call per
 * line would cost a tenth of the rate. While nobody reads, lines beyond the bound are dropped, and `onLeftOut` is called
 * with their number afterwards.
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
    // Writes a line about them into the buffer, which is empty now.
    if (count > 0) onLeftOut(count);
    isWriting = true;
    // The callback runs when a pipe has accepted all of it, and after an error.
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
