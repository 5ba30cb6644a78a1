import { type Log, type LogFields, type LogLevel, makeLog } from './log.ts';

/** A line on the operator's log page. */
export interface LogLine {
  /** Sequence number. */
  seq: number;
  at: number;
  level: LogLevel;
  message: string;
  fields: LogFields;
}

/** Lines that are kept. Warnings and errors are kept separately, so that a flood of other lines can't push them out. */
const KEPT = { loud: 200, quiet: 300 } as const;
const VALUE_CHARS_MAX = 500;

/**
 * Keeps the last log lines from level info up in memory. They contain no secrets and no mail (platform/core/log.ts).
 */
export class LogTail {
  private readonly rings: Record<keyof typeof KEPT, LogLine[]> = { loud: [], quiet: [] };
  private seq = 0;

  /** Returns a log that writes to another one and also keeps its lines here. */
  over(log: Log, nowUs: () => number): Log {
    return makeLog((level, message, fields) => {
      log[level](message, fields);
      if (level === 'debug') return;
      const kind = level === 'info' ? 'quiet' : 'loud';
      const ring = this.rings[kind];
      ring.push({ seq: ++this.seq, at: nowUs(), level, message, fields: cut(fields) });
      // Trimmed only now and then: removing one line at a time would move all others each time.
      if (ring.length >= 2 * KEPT[kind]) ring.splice(0, ring.length - KEPT[kind]);
    });
  }

  /** Returns the kept lines, newest first. */
  lines(): LogLine[] {
    return [...this.rings.loud.slice(-KEPT.loud), ...this.rings.quiet.slice(-KEPT.quiet)].sort(
      (one, other) => other.seq - one.seq,
    );
  }
}

/** Cuts long values. Most lines have none and need no copy, which counts because every mail writes one. */
function cut(fields: LogFields): LogFields {
  const isLong = (value: LogFields[string]) => typeof value === 'string' && value.length > VALUE_CHARS_MAX;
  if (!Object.values(fields).some(isLong)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, VALUE_CHARS_MAX) : value,
    ]),
  );
}
