import { isoTime } from './clock.ts';
import { writePlainJson } from './plain-json.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
/** The values of a line. They never contain a secret or the content of a mail. */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Writes one line per event. `message` says what happened, and for a warning what to do about it. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /**
   * For what strangers can cause at will: writes a message once a minute. `left_out` counts the lines left out
   * before.
   */
  rarely(level: 'warn' | 'error', message: string, fields?: LogFields): void;
}

export interface LogOptions {
  form: 'pretty' | 'json';
  level: LogLevel;
  colour: boolean;
  write: (line: string) => void;
  nowUs: () => number;
}

const COLOURS: Record<LogLevel, string> = {
  debug: '\x1b[90m',
  info: '',
  warn: '\x1b[33m',
  error: '\x1b[31m',
};

export function createLog(options: LogOptions): Log {
  const lowest = logLevels.indexOf(options.level);
  return makeLog((level, message, fields) => {
    if (logLevels.indexOf(level) < lowest) return;
    const time = isoTime(options.nowUs());
    options.write(
      options.form === 'json'
        ? `${writePlainJson({ time, level, message, ...fields })}\n`
        : formatPretty(level, message, fields, time, options.colour),
    );
  });
}

/** Returns a log whose lines go to this function. */
export function makeLog(write: (level: LogLevel, message: string, fields: LogFields) => void): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) =>
      write(level, message, fields);
  const [warn, error] = [at('warn'), at('error')];
  return { debug: at('debug'), info: at('info'), warn, error, rarely: makeRarely({ warn, error }) };
}

const RARELY_MS = 60_000;

/**
 * Implements `Log.rarely` with a log's other methods. Keeps an entry per message: our code writes those, not
 * strangers.
 */
export function makeRarely(log: Pick<Log, 'warn' | 'error'>, nowMs = () => performance.now()): Log['rarely'] {
  const entries = new Map<string, { nextMs: number; leftOut: number }>();
  return (level, message, fields = {}) => {
    const entry = entries.get(message) ?? { nextMs: Number.NEGATIVE_INFINITY, leftOut: 0 };
    entries.set(message, entry);
    if (nowMs() < entry.nextMs) {
      entry.leftOut += 1;
      return;
    }
    const { leftOut } = entry;
    Object.assign(entry, { nextMs: nowMs() + RARELY_MS, leftOut: 0 });
    log[level](message, leftOut > 0 ? { ...fields, left_out: leftOut } : fields);
  };
}

/** A log that writes nothing, for programs with their own output. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, rarely() {} };

function formatPretty(
  level: LogLevel,
  message: string,
  fields: LogFields,
  time: string,
  colour: boolean,
): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? quoteValue(value) : value}`)
    .join(' ');
  const mark = level === 'info' ? '' : `${level.toUpperCase()} `;
  const text = `${time.slice(11, 23)} ${mark}${message}`;
  if (!colour) return `${text}${details && ` ${details}`}\n`;
  return `${COLOURS[level]}${text}${details && ` \x1b[90m${details}`}\x1b[0m\n`;
}

/** Escapes control characters, so that a stranger's header can't move the terminal's cursor. */
function quoteValue(value: string): string {
  return /^[\x21-\x7e]+$/.test(value) && !value.includes('"') ? value : writePlainJson(value);
}
