/** Parses settings, with one parser per type. Each throws a RangeError that says which form it expects. */
import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { idPrefixes } from '../../rules/ids.ts';
import type { SettingRule, SettingType } from '../../rules/settings.ts';
import { checkBasePath } from './base-path.ts';
import { isId } from './id.ts';

/** The address of a listener. */
export interface Listen {
  host: string;
  port: number;
  /** Whether TLS starts with the connection (`tls://`). */
  tls: boolean;
}

export interface ServerAddress {
  host: string;
  port: number;
}

/** An IP network: `10.0.0.0/8`. */
export interface Network {
  address: string;
  prefix: number;
}

/** How outgoing mail leaves the server. */
export type Outbound = { way: 'off' | 'direct' } | { way: 'smarthost'; url: string };

const UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};

type Parser = (text: string, rule: SettingRule) => unknown;

const parsers = {
  text: (text) => text,
  api_key: parseApiKey,
  path: (text) => text,
  listen(text) {
    const address = parseListen(text);
    if (address.tls) throw new RangeError('takes no tls://; set http_tls to on for https');
    return address;
  },
  listens: (text) => splitList(text).map(parseListen),
  url: parseUrl,
  base_url: parseBaseUrl,
  hostname: parseHostname,
  servers: (text) => splitList(text).map(parseServer),
  networks: (text) => splitList(text).map(parseNetwork),
  origins: (text) => splitList(text).map(parseOrigin),
  size: (text, rule) => checkBounds(parseSize(text), rule, formatBound),
  integer(text, rule) {
    if (!/^\d{1,15}$/.test(text)) throw new RangeError('must be a whole number');
    return checkBounds(Number(text), rule);
  },
  switch(text) {
    const value = text.toLowerCase();
    if (value !== 'on' && value !== 'off') throw new RangeError('must be on or off');
    return value === 'on';
  },
  choice(text, rule) {
    const value = text.toLowerCase();
    if (!rule.choices?.includes(value)) throw new RangeError(`must be one of ${rule.choices?.join(', ')}`);
    return value;
  },
  account: (text) => parseId('account', text),
  inbox: (text) => parseId('inbox', text),
  outbound: parseOutbound,
  smarthost: (text) => checkSmarthost(text, 'a smarthost'),
  recipients: (text) => splitList(text).map(parseRecipient),
} satisfies Record<SettingType, Parser>;

/** The value of each type of setting, as its parser returns it. */
export type SettingValues = { [Type in SettingType]: Readonly<ReturnType<(typeof parsers)[Type]>> };

/** Parses a setting's text; throws a RangeError that describes the expected form. */
export function parseSetting(text: string, rule: SettingRule): unknown {
  const given = text.trim();
  if (given === '') throw new RangeError('must not be empty');
  return parsers[rule.type](given, rule);
}

const LISTS: readonly SettingType[] = ['listens', 'servers', 'networks', 'origins', 'recipients'];
const NUMBERS: readonly SettingType[] = ['integer', 'size'];
const SWITCHES: readonly SettingType[] = ['switch', 'outbound'];

/** Converts a value of the TOML file to its form in the environment; throws a RangeError for a wrong type. */
export function readTomlText(value: unknown, { type }: SettingRule): string {
  if (typeof value === 'string') return value;
  if (LISTS.includes(type)) {
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
    throw new RangeError('in the file must be text in quotes, or a list of such texts');
  }
  if (NUMBERS.includes(type)) {
    if (typeof value === 'number') return String(value);
    throw new RangeError(`in the file must be a number${type === 'size' ? ', or text such as "25MiB"' : ''}`);
  }
  if (typeof value === 'boolean' && SWITCHES.includes(type)) return value ? 'on' : 'off';
  throw new RangeError(`in the file must be ${type === 'switch' ? 'true or false' : 'text in quotes'}`);
}

/** Checks a key: any other character could not be sent in an Authorization header. */
function parseApiKey(text: string): string {
  if (!/^[!-~]+$/.test(text)) throw new RangeError('must be printable ASCII characters without spaces');
  return text;
}

function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes('')) throw new RangeError('must not have an empty item in its list');
  return parts;
}

function checkBounds(
  value: number,
  { bounds }: SettingRule,
  format: (bound: number) => string = String,
): number {
  if (bounds && (value < bounds[0] || value > bounds[1])) {
    throw new RangeError(`must be from ${format(bounds[0])} to ${format(bounds[1])}`);
  }
  return value;
}

/** Formats a bound of a size as a setting has it: `64KiB`. */
function formatBound(bytes: number): string {
  if (bytes === 0) return '0';
  const unit = ['TiB', 'GiB', 'MiB', 'KiB', 'B'].find((name) => bytes % UNITS[name.toLowerCase()]! === 0)!;
  return `${bytes / UNITS[unit.toLowerCase()]!}${unit}`;
}

function parseId(kind: 'account' | 'inbox', text: string): string {
  if (!isId(kind, text)) {
    throw new RangeError(`must be an ${kind}'s id, ${idPrefixes[kind]} and 32 characters of 0-9 and a-f`);
  }
  return text;
}

function parseSize(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (number === undefined || factor === undefined)
    throw new RangeError('must be a size such as 25MiB or 1048576');
  return Math.round(Number(number) * factor);
}

function parseListen(text: string): Listen {
  const tls = text.startsWith('tls://');
  const split = splitPort(tls ? text.slice('tls://'.length) : text);
  if (split?.port === undefined)
    throw new RangeError('must be host:port, such as 127.0.0.1:8025 or [::1]:8025');
  return { host: split.host, port: split.port, tls };
}

function parseServer(text: string): ServerAddress {
  if (isIPv6(text)) return { host: text, port: 53 };
  const split = splitPort(text);
  if (!split || split.port === 0)
    throw new RangeError('must be host or host:port, such as 9.9.9.9 or [::1]:53');
  return { host: split.host, port: split.port ?? 53 };
}

/** Splits `host`, `host:port`, `[v6]` or `[v6]:port`; null for anything else. */
function splitPort(text: string): { host: string; port: number | undefined } | null {
  const [, v6, name, digits] = /^(?:\[([^\]]+)\]|([^:\s[\]/@]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = v6 ?? name;
  if (host === undefined || (v6 !== undefined && !isIPv6(v6))) return null;
  const port = digits === undefined ? undefined : Number(digits);
  return port !== undefined && port > 65_535 ? null : { host, port };
}

function parseOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (!/^https?:/.test(origin) || origin !== text.toLowerCase().replace(/\/$/, '')) {
    throw new RangeError('must be origins such as http://localhost:3000, without a path');
  }
  return origin;
}

function parseNetwork(text: string): Network {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const bitsMax = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(prefix <= bitsMax)) {
    throw new RangeError('must be an IP address or a network such as 10.0.0.0/8 or fd00::/8');
  }
  return { address, prefix };
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) {
    throw new RangeError('must be a URL such as https://mail.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

function parseBaseUrl(text: string): string {
  const url = parseUrl(text);
  checkBasePath(new URL(url).pathname.replace(/\/$/, ''));
  return url;
}

function parseHostname(text: string): string {
  const name = domainToASCII(text.replace(/\.$/, '').toLowerCase());
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  if (name.length > 253 || isIP(name) || !new RegExp(`^${label}(?:\\.${label})*$`).test(name)) {
    throw new RangeError('must be a host name such as mail.example.com');
  }
  return name;
}

function parseOutbound(text: string): Outbound {
  const word = text.toLowerCase();
  if (word === 'off' || word === 'direct') return { way: word };
  return { way: 'smarthost', url: checkSmarthost(text, 'off, direct, or a smarthost') };
}

function checkSmarthost(text: string, expected: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new RangeError(`must be ${expected} such as smtp://user:pass@host:587`);
  }
  const hasHalfALogin = (url.username === '') !== (url.password === '');
  if (hasHalfALogin || url.port === '0' || !isDecodable(url.username) || !isDecodable(url.password)) {
    throw new RangeError(
      'must have both user and password or neither, % written as %25 and @ as %40, and a port from 1',
    );
  }
  return text;
}

/** Parses an address, or a domain, which means all of its addresses. Returns it in lower case. */
function parseRecipient(text: string): string {
  const [, local, domain = ''] = /^(?:([^\s@<>",;:]{1,64})@|@)?([^\s@<>]+)$/.exec(text) ?? [];
  try {
    const name = parseHostname(domain);
    return local === undefined ? name : `${local.toLowerCase()}@${name}`;
  } catch {
    throw new RangeError('must be addresses or domains, such as ann@example.com or example.com');
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
