/** Values as a person reads them. */

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const year = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** For lists: the time if today, the day if this year, otherwise the date. */
export function shortTime(iso: string): string {
  const time = new Date(iso);
  const now = new Date();
  if (time.toDateString() === now.toDateString()) return clock.format(time);
  return (time.getFullYear() === now.getFullYear() ? day : year).format(time);
}

export function fullTime(iso: string): string {
  return full.format(new Date(iso));
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB'];
  const power = units.findLastIndex((_, index) => bytes >= 1024 ** (index + 1));
  const [value, unit] = [bytes / 1024 ** (power + 1), units[power]];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/**
 * Splits `Name <addr>`. The address is the last part in angle brackets, because a forged name may contain another one.
 * No regular expression: white space in a hostile header made one take seconds.
 */
function parted(from: string): [name: string, address: string] {
  const text = from.trim();
  const at = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  if (at < 0) return ['', text];
  const name = text.slice(0, at).trim().replace(/^"/, '').replace(/"$/, '').trim();
  return [name, text.slice(at + 1, -1)];
}

/** The name of `Name <addr>`, or the address. */
export function nameOf(from: string): string {
  const [name, address] = parted(from);
  return name || address || 'Unknown sender';
}

export function addressIn(from: string): string {
  return parted(from)[1];
}

export function split(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
}

export function count(number: number): string {
  return number >= 1000 ? '999+' : String(number);
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || new URL(url).protocol : url;
}
