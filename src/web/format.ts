/** Values as a person reads them. */
import { preferences } from './preferences.ts';
import { forLocale, number } from './words/amounts.ts';
import { words } from './words/words.ts';

interface Formats {
  clock: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  year: Intl.DateTimeFormat;
  full: Intl.DateTimeFormat;
  month: Intl.DateTimeFormat;
  date: Intl.DateTimeFormat;
  ago: Intl.RelativeTimeFormat;
  now: Intl.RelativeTimeFormat;
}

const formats = () => {
  const zone = preferences.value.timeZone;
  return forLocale(`times ${zone}`, (locale): Formats => {
    const make = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, zone === '' ? options : { ...options, timeZone: zone });
    return {
      clock: make({ hour: 'numeric', minute: '2-digit' }),
      day: make({ day: 'numeric', month: 'short' }),
      year: make({ day: 'numeric', month: 'short', year: 'numeric' }),
      full: make({ dateStyle: 'medium', timeStyle: 'medium' }),
      month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
      date: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
      ago: new Intl.RelativeTimeFormat(locale),
      now: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    };
  });
};

/** For lists: the time if today, the day if this year, otherwise the date. */
export function shortTime(iso: string): string {
  const { clock, day, year } = formats();
  const time = new Date(iso);
  const now = new Date();
  // Formatting takes most of the time of rendering a row of the list, and most mail is older than a day.
  const isRecent = Math.abs(now.getTime() - time.getTime()) < 25 * 3_600_000;
  if (isRecent && year.format(time) === year.format(now)) return clock.format(time);
  return (time.getFullYear() === now.getFullYear() ? day : year).format(time);
}

export function fullTime(iso: string): string {
  return formats().full.format(new Date(iso));
}

/** `November 2026` for `2026-11`. */
export function monthName(month: string): string {
  return formats().month.format(new Date(`${month}-15T00:00:00Z`));
}

/** `Nov 23, 2026` for `2026-11-23`. */
export function dayName(day: string): string {
  return formats().date.format(new Date(`${day}T00:00:00Z`));
}

const UNITS_OF_TIME = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `5 minutes ago`; from a week on, the day. */
export function agoTime(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  if (seconds > 7 * 86_400) return shortTime(iso);
  const unit = UNITS_OF_TIME.find(([, length]) => seconds >= length);
  // The last minute is `now`: no page counts seconds.
  return unit
    ? formats().ago.format(-Math.floor(seconds / unit[1]), unit[0])
    : formats().now.format(0, 'second');
}

const tenths = (value: number) =>
  forLocale(
    'tenths',
    (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  ).format(value);

export function size(bytes: number): string {
  const { units } = words.frame;
  const power = Math.max(
    0,
    units.findLastIndex((_, index) => bytes >= 1024 ** index),
  );
  const value = bytes / 1024 ** power;
  return `${power > 0 && value < 10 ? tenths(value) : number(Math.round(value))} ${units[power]}`;
}

/**
 * Splits `Name <addr>`. The address is the last part in angle brackets, because a forged name may contain another one.
 * No regular expression: white space in a hostile header made one take seconds.
 */
function splitSender(from: string): [name: string, address: string] {
  const text = from.trim();
  const at = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  if (at < 0) return ['', text];
  const name = text.slice(0, at).trim().replace(/^"/, '').replace(/"$/, '').trim();
  return [name, text.slice(at + 1, -1)];
}

/** The name of `Name <addr>`, or the address. */
export function readName(from: string): string {
  const [name, address] = splitSender(from);
  return name || address || words.frame.unknownSender;
}

export function readAddress(from: string): string {
  return splitSender(from)[1];
}

export function splitAddress(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
}

export function formatCount(number: number): string {
  return number >= 1000 ? '999+' : String(number);
}

export function readHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host || new URL(url).protocol : url;
}
