/** Shows the progress of a long command on standard error, if that is a terminal. */
const WIDTH = 30;
const SHOW_EVERY_MS = 100;

export interface Progress {
  /** Shows a bar; or only the number so far, if the total is 0. */
  show(done: number, total: number, what?: string): void;
  end(): void;
}

export function makeProgressLine(what: string): Progress {
  const out = process.stderr;
  let shownMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(done, total, now = what) {
      const nowMs = performance.now();
      if (!out.isTTY || (nowMs - shownMs < SHOW_EVERY_MS && done !== total)) return;
      shownMs = nowMs;
      isShown = true;
      if (total === 0) {
        out.write(`\r${done} ${now}`);
        return;
      }
      const share = Math.min(1, done / total);
      const filled = Math.round(share * WIDTH);
      out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} % ${now}`);
    },
    end() {
      if (isShown) out.write('\r\x1b[K');
    },
  };
}
