import type { Log, LogFields, LogLevel } from './log.ts';

/** A line as the operator's page shows it. */
export interface LogLine {
  /** Counts up; which of two came first. */
  seq: number;
  at: number;
  level: LogLevel;
  message: string;
  fields: LogFields;
}

/** Lines kept: of those that ask for attention, and of the others, so that a flood can't wash those away. */
const KEPT = { loud: 200, quiet: 300 } as const;
const VALUE_CHARS_MAX = 500;

/** The last lines of the log, from info up, in memory. A log line has no secrets and no mail's content (platform/core/log.ts). */
export class LogTail {
  private readonly rings: Record<keyof typeof KEPT, LogLine[]> = { loud: [], quiet: [] };
  private seq = 0;

  /** A log that keeps its lines here too. */
  over(log: Log, nowUs: () => number): Log {
    const at =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}) => {
        log[level](message, fields);
        if (level === 'debug') return;
        const kind = level === 'info' ? 'quiet' : 'loud';
        const ring = this.rings[kind];
        ring.push({ seq: ++this.seq, at: nowUs(), level, message, fields: cut(fields) });
        // In one go now and then: shifting at each line would move the whole ring each time.
        if (ring.length >= 2 * KEPT[kind]) ring.splice(0, ring.length - KEPT[kind]);
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  /** Newest first. */
  lines(): LogLine[] {
    return [...this.rings.loud.slice(-KEPT.loud), ...this.rings.quiet.slice(-KEPT.quiet)].sort(
      (one, other) => other.seq - one.seq,
    );
  }
}

function cut(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, VALUE_CHARS_MAX) : value,
    ]),
  );
}
