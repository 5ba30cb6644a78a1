import { readFileSync, statSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import type { Clock } from '../../platform/core/clock.ts';
import type { Log } from '../../platform/core/log.ts';

/** What the operator says of throwaway domains (POSTERN_DISPOSABLE_FILE). */
export interface OwnEntries {
  additions: ReadonlySet<string>;
  exceptions: ReadonlySet<string>;
  /** Hosts that take mail for throwaway domains. */
  mx: ReadonlySet<string>;
  mxExceptions: ReadonlySet<string>;
}

export const noEntries: OwnEntries = {
  additions: new Set(),
  exceptions: new Set(),
  mx: new Set(),
  mxExceptions: new Set(),
};

/** A file that is larger is no list made by hand, and reading it would hold up everything else. */
const BYTES_MAX = 1024 * 1024;
/** Between two looks whether the file has changed. */
const LOOK_MS = 1_000;

/** The operator's file: read at the start, and again when it has changed. */
export class OwnList {
  private entries: OwnEntries;
  private stamp: string;
  private lookedMs: number;

  /** Throws with what to do when the file can't be read or has a line that is none. */
  constructor(
    private readonly file: string | null,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.lookedMs = clock.elapsedMs();
    this.stamp = file === null ? '' : stampOf(file);
    this.entries = file === null ? noEntries : readOwnList(file);
  }

  /** As the file is now, or was a second ago. A file that became unreadable is told, and what it said stays. */
  current(): OwnEntries {
    const nowMs = this.clock.elapsedMs();
    if (this.file === null || nowMs - this.lookedMs < LOOK_MS) return this.entries;
    this.lookedMs = nowMs;
    try {
      const stamp = stampOf(this.file);
      if (stamp === this.stamp) return this.entries;
      this.stamp = stamp;
      this.entries = readOwnList(this.file);
      this.log.info('read the list of disposable domains again', { file: this.file });
    } catch (fault) {
      if (this.stamp !== '') this.log.warn((fault as Error).message);
      this.stamp = '';
    }
    return this.entries;
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Error(`${named(file)} is not there.`);
  return `${found.ino} ${found.size} ${found.mtimeMs}`;
}

/**
 * A line each: `domain` adds it with all below it, `!domain` excepts it; `mx:host` and `!mx:host` say the same of hosts
 * that take mail. What follows a `#` is a remark. Throws with the number of a line that is none of these.
 */
export function readOwnList(file: string): OwnEntries {
  const bytes = readFileSync(file);
  if (bytes.length > BYTES_MAX) throw new Error(`${named(file)} is larger than ${BYTES_MAX} bytes.`);
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
        `${named(file)}, line ${index + 1}: ${JSON.stringify(text.slice(0, 80))} is no domain.`,
      );
    }
    sets[kind as keyof typeof sets].add(name);
  }
  return { additions: sets[''], exceptions: sets['!'], mx: sets['mx:'], mxExceptions: sets['!mx:'] };
}

function named(file: string): string {
  return `POSTERN_DISPOSABLE_FILE (${file})`;
}
