/**
 * The effective settings, from the command line, the environment, the TOML file and the defaults, in that order
 * (docs/operations.md, Settings). Rate limits and plan caps are settings too, defined in their own tables.
 */
import { type LimitName, type LimitRule, type Limits, limits } from '../../rules/limits.ts';
import { type Cap, capMeanings, type Plan, type Plans, planNames, plans } from '../../rules/plans.ts';
import { type SettingName, type SettingRule, settings } from '../../rules/settings.ts';
import { findClosest } from './closest.ts';
import { findRpId } from './rp-id.ts';
import {
  type Listen,
  type Network,
  type Outbound,
  parseSetting,
  readTomlText,
  type ServerAddress,
  type SettingValues,
} from './setting-values.ts';

type Table = typeof settings;
/** The effective settings. One that has no default and was not set is null. */
export type Settings = {
  readonly [Name in SettingName]: Table[Name] extends { default: null }
    ? SettingValues[Table[Name]['type']] | null
    : SettingValues[Table[Name]['type']];
};

export type { Listen, Network, Outbound, ServerAddress, SettingName, SettingRule };

const ENV_PREFIX = 'POSTERN_';
/** Variables that only the clients read (docs/clients.md). A client may start a server with its own environment. */
const VARIABLES_OF_CLIENTS: readonly string[] = ['POSTERN_BIN', 'POSTERN_SMTP_URL'];
const NUMBER_MAX = 1_000_000_000;

/** Anything that an operator can set: a setting, the maximum of a limit, or a cap of a plan. */
export interface Knob {
  /** As in the TOML file: `smtp_max_size`. */
  name: string;
  variable: string;
  flag: string;
  rule: SettingRule;
}

function makeKnob(name: string, rule: SettingRule): Knob {
  return {
    name,
    variable: ENV_PREFIX + name.toUpperCase(),
    flag: `--${name.replaceAll('_', '-')}`,
    rule,
  };
}

function makeNumberRule(value: number, meaning: string): SettingRule {
  return { type: 'integer', default: String(value), bounds: [0, NUMBER_MAX], meaning };
}

/** All knobs, in the order of their tables. */
export const knobs: readonly Knob[] = [
  ...Object.entries(settings).map(([name, rule]) => makeKnob(name, rule)),
  ...Object.entries(limits).map(([name, rule]) =>
    makeKnob(`limit_${name}`, makeNumberRule(rule.max, rule.meaning)),
  ),
  ...planNames.flatMap((plan) =>
    Object.entries(capMeanings).map(([cap, meaning]) =>
      makeKnob(`plan_${plan}_${cap}`, makeNumberRule(plans[plan][cap as Cap], `plan ${plan}: ${meaning}`)),
    ),
  ),
];

const knobByName = new Map(knobs.map((each) => [each.name, each]));

export type SettingSource = 'command line' | 'environment' | 'file' | 'default';

/** Values from outside. Names from the command line are spelled like those in the file: `smtp_max_size`. */
export interface GivenSettings {
  cli?: Record<string, string>;
  env?: Record<string, string | undefined>;
  toml?: Record<string, unknown>;
}

export interface LoadedSettings {
  settings: Settings;
  limits: Limits;
  plans: Plans;
  /** By name, the source of the value and its text. */
  sources: Record<string, { source: SettingSource; text: string | null }>;
}

/** All mistakes in the settings at once, each with its place and what to do. */
export class SettingsFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'SettingsFault';
  }
}

/** A value of a knob, from one source. */
interface GivenValue {
  knob: Knob;
  source: SettingSource;
  /** The name as the operator wrote it. */
  written: string;
  text: string;
}

/** Parses all values; throws a SettingsFault that lists everything unknown or malformed. */
export function settingsFrom(given: GivenSettings = {}): LoadedSettings {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  const sources: LoadedSettings['sources'] = {};
  for (const { name, rule } of knobs) {
    values.set(name, rule.default === null ? null : parseSetting(rule.default, rule));
    sources[name] = { source: 'default', text: rule.default };
  }
  // The strongest source comes last and overwrites the others. Malformed values of weaker sources are still reported.
  for (const { knob, source, written, text } of listGivenValues(given, faults)) {
    const { name, rule } = knob;
    try {
      // If null is allowed, an empty value unsets what a weaker source has set.
      const value = text.trim() === '' && rule.default === null ? null : parseSetting(text, rule);
      values.set(name, value);
      sources[name] = { source, text: value === null ? null : text };
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      const shown = rule.secret || text.trim() === '' ? '' : `, not ${JSON.stringify(text)}`;
      faults.push(`${written} ${thrown.message}${shown}`);
    }
  }
  for (const [name, rule] of Object.entries<LimitRule>(limits)) {
    if (!rule.follows || sources[`limit_${name}`]?.source !== 'default') continue;
    const followed = values.get(`limit_${rule.follows.limit}`) as number;
    const max = Math.min(followed * rule.follows.times, NUMBER_MAX);
    values.set(`limit_${name}`, max);
    sources[`limit_${name}`] = { source: 'default', text: String(max) };
  }
  if ((values.get('tls_cert') === null) !== (values.get('tls_key') === null)) {
    faults.push('POSTERN_TLS_CERT and POSTERN_TLS_KEY must both be set, or neither');
  }
  if (values.get('acme') === true) faults.push(...findAcmeFaults(values));
  faults.push(...findOidcFaults(values));
  if (faults.length > 0) throw new SettingsFault(faults);
  return { ...shapeSettings(values), sources };
}

/**
 * Finds settings about signing in that contradict each other. Plain http is allowed on loopback only: anyone who
 * reads the answer in transit could sign in.
 */
function findOidcFaults(values: ReadonlyMap<string, unknown>): string[] {
  const [issuer, clientId] = [values.get('oidc_issuer'), values.get('oidc_client_id')];
  const faults: string[] = [];
  if (values.get('passwords') === false && values.get('signup') === 'open') {
    faults.push('POSTERN_SIGNUP=open needs passwords: set POSTERN_PASSWORDS to on, or close sign-up');
  }
  if (issuer === null) {
    if (values.get('passwords') === false && !hasPasskeys(values)) {
      faults.push(NO_WAY_IN);
    }
    return faults;
  }
  const url = URL.canParse(String(issuer)) ? new URL(String(issuer)) : null;
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal)) {
    faults.push('POSTERN_OIDC_ISSUER must be a URL that begins with https:// (http:// on this machine only)');
  }
  if (clientId === null) faults.push('POSTERN_OIDC_ISSUER needs POSTERN_OIDC_CLIENT_ID');
  return faults;
}

/** Whether people on other machines can sign in with passkeys. Those bound to localhost don't count. */
function hasPasskeys(values: ReadonlyMap<string, unknown>): boolean {
  const baseUrl = values.get('base_url') as string | null;
  return baseUrl !== null && findRpId({ base_url: baseUrl }) !== null;
}

const NO_WAY_IN =
  'POSTERN_PASSWORDS=off would let nobody in: set POSTERN_OIDC_ISSUER, or for passkeys an https POSTERN_BASE_URL with a host name, or turn it on';

/** Finds settings that contradict POSTERN_ACME. The operator must see them now, not when a certificate expires. */
function findAcmeFaults(values: ReadonlyMap<string, unknown>): string[] {
  const faults: string[] = [];
  if (values.get('tls_cert') !== null) {
    faults.push(
      'POSTERN_ACME=on gets the certificate by itself: unset POSTERN_TLS_CERT and POSTERN_TLS_KEY, or turn it off',
    );
  }
  if (!String(values.get('acme_directory')).startsWith('https://')) {
    faults.push('POSTERN_ACME_DIRECTORY must begin with https://');
  }
  const email = values.get('acme_email');
  if (email !== null && !/^[^\s@<>,;:"?]+@[^\s@<>,;:"?]+$/.test(String(email))) {
    faults.push('POSTERN_ACME_EMAIL must be an email address');
  }
  return faults;
}

function listGivenValues({ toml = {}, env = {}, cli = {} }: GivenSettings, faults: string[]): GivenValue[] {
  const listed: GivenValue[] = [];
  const add = (
    name: string,
    source: SettingSource,
    written: string,
    text: string,
    known: Iterable<string>,
  ) => {
    const found = knobByName.get(name);
    if (found) {
      listed.push({ knob: found, source, written, text });
      return;
    }
    const meant = findClosest(written, known);
    faults.push(
      `${written} is not a setting${meant ? `; did you mean ${meant}?` : ''} (postern config lists all)`,
    );
  };
  for (const [name, value] of Object.entries(toml)) {
    const rule = knobByName.get(name)?.rule;
    try {
      add(name, 'file', name, rule ? readTomlText(value, rule) : '', knobByName.keys());
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      faults.push(`${name} ${thrown.message}`);
    }
  }
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(ENV_PREFIX) || text === undefined) continue;
    if (VARIABLES_OF_CLIENTS.includes(variable)) continue;
    const name = variable === variable.toUpperCase() ? variable.slice(ENV_PREFIX.length).toLowerCase() : '';
    add(
      name,
      'environment',
      variable,
      text,
      knobs.map((each) => each.variable),
    );
  }
  for (const [name, text] of Object.entries(cli)) {
    const written = knobByName.get(name)?.flag ?? `--${name.replaceAll('_', '-')}`;
    add(
      name,
      'command line',
      written,
      text,
      knobs.map((each) => each.flag),
    );
  }
  return listed;
}

function shapeSettings(values: ReadonlyMap<string, unknown>): Omit<LoadedSettings, 'sources'> {
  const mapNames = <Name extends string, Value>(names: readonly Name[], value: (name: Name) => unknown) =>
    Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;
  const settingNames = Object.keys(settings) as SettingName[];
  const limitNames = Object.keys(limits) as LimitName[];
  const caps = Object.keys(capMeanings) as Cap[];
  return {
    settings: mapNames<SettingName, never>(settingNames, (name) => values.get(name)) as Settings,
    limits: mapNames<LimitName, LimitRule>(limitNames, (name) => ({
      ...limits[name],
      max: values.get(`limit_${name}`) as number,
    })),
    plans: mapNames<Plan, Plans[Plan]>(planNames, (plan) =>
      mapNames(caps, (cap) => values.get(`plan_${plan}_${cap}`)),
    ),
  };
}

/**
 * Whether SMTP offers STARTTLS. When it is offered, many mailers use it, verify the certificate, and fail on a
 * self-signed one (nodemailer, Go's smtp.SendMail, aiosmtplib). So capture offers it only with a certificate that
 * they may trust.
 */
export function isStartTlsOffered(
  { smtp_starttls: choice, tls_cert: cert }: Pick<Settings, 'smtp_starttls' | 'tls_cert'>,
  isCapture: boolean,
): boolean {
  if (choice !== 'auto') return choice === 'on';
  return !isCapture || cert !== null;
}

/** Returns the name in `mx_target` and in the SMTP banner. */
export function mxHost(settings: Pick<Settings, 'mx_host' | 'mail_domain'>): string {
  return settings.mx_host ?? `mx.${settings.mail_domain}`;
}
