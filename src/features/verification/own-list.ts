import { readFileSync, statSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import type { Clock } from '../../platform/core/clock.ts';
import type { Log } from '../../platform/core/log.ts';

/** The operator's own entries for disposable domains (POSTERN_DISPOSABLE_FILE). */
export interface OwnEntries {
  additions: ReadonlySet<string>;
  exceptions: ReadonlySet<string>;
  /** Hosts that accept mail for disposable domains. */
  mx: ReadonlySet<string>;
  mxExceptions: ReadonlySet<string>;
}

export const noEntries: OwnEntries = {
  additions: new Set(),
  exceptions: new Set(),
  mx: new Set(),
  mxExceptions: new Set(),
};

/** A larger file was not written by hand, and reading it would block the event loop. */
const BYTES_MAX = 1024 * 1024;
/** The shortest time between two checks for a changed file. */
const CHECK_MS = 1_000;

/** The operator's file, which is read at start, and again whenever it changes. */
export class OwnList {
  private entries: OwnEntries;
  private stamp: string;
  private checkedMs: number;

  /** Throws an error for the operator if the file can't be read or has an invalid line. */
  constructor(
    private readonly file: string | null,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.checkedMs = clock.elapsedMs();
    this.stamp = file === null ? '' : readStamp(file);
    this.entries = file === null ? noEntries : readOwnList(file);
  }

  /**
   * Returns the file's entries, at most a second old. If it becomes unreadable, logs that and keeps the old entries.
   */
  readCurrent(): OwnEntries {
    const nowMs = this.clock.elapsedMs();
    if (this.file === null || nowMs - this.checkedMs < CHECK_MS) return this.entries;
    this.checkedMs = nowMs;
    try {
      const stamp = readStamp(this.file);
      if (stamp === this.stamp) return this.entries;
      this.stamp = stamp;
      this.entries = readOwnList(this.file);
      this.log.info('the list of disposable domains was reloaded', { file: this.file });
    } catch (fault) {
      if (this.stamp !== '') this.log.warn((fault as Error).message);
      this.stamp = '';
    }
    return this.entries;
  }
}

function readStamp(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Error(`${formatFile(file)} does not exist.`);
  return `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/**
 * Reads the file, one entry a line: `domain` adds a domain and its subdomains, `!domain` excludes it, and `mx:host` and
 * `!mx:host` do the same for hosts that accept mail. `#` starts a comment. Throws with the number of an invalid line.
 */
export function readOwnList(file: string): OwnEntries {
  const bytes = readFileSync(file);
  if (bytes.length > BYTES_MAX) throw new Error(`${formatFile(file)} is larger than ${BYTES_MAX} bytes.`);
  const sets = {
    '': new Set<string>(),
    '!': new Set<string>(),
    'mx:': new Set<string>(),
    '!mx:': new Set<string>(),
  };
  for (const [index, line] of bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const text = line.replace(/#.*/, '').trim().toLowerCase();
    if (text === '') continue;
    const [, kind = '', written = ''] = /^(!?(?:mx:)?)\s*(\S+)$/.exec(text) ?? [];
    const name = domainToASCII(written.replace(/^[@.]|\.$/g, ''));
    if (!/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/.test(name)) {
      throw new Error(
        `${formatFile(file)}, line ${index + 1}: ${JSON.stringify(text.slice(0, 80))} is not a domain.`,
      );
    }
    sets[kind as keyof typeof sets].add(name);
  }
  return { additions: sets[''], exceptions: sets['!'], mx: sets['mx:'], mxExceptions: sets['!mx:'] };
}

function formatFile(file: string): string {
  return `POSTERN_DISPOSABLE_FILE (${file})`;
}
