/** How far a long command is, on a terminal's standard error; nothing where nobody looks. */
const WIDTH = 30;
const SHOW_EVERY_MS = 100;

export interface Progress {
  show(done: number, total: number): void;
  /** Takes the line away. */
  end(): void;
}

export function progressLine(
  what: string,
  out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> = process.stderr,
): Progress {
  let shown_ms = Number.NEGATIVE_INFINITY;
  let is_shown = false;
  return {
    show(done, total) {
      const now_ms = performance.now();
      if (!out.isTTY || (now_ms - shown_ms < SHOW_EVERY_MS && done < total)) return;
      shown_ms = now_ms;
      is_shown = true;
      const share = total > 0 ? Math.min(1, done / total) : 1;
      const filled = Math.round(share * WIDTH);
      out.write(
        `\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} % ${what}`,
      );
    },
    end() {
      if (is_shown) out.write('\r\x1b[K');
    },
  };
}
