import type { SettingName, SettingRule, settings } from '../rules/settings.ts';

/** Where a listener binds. */
export interface Listen {
  host: string;
  port: number;
  /** Implicit TLS (`tls://`). */
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

interface ValueOf {
  text: string;
  path: string;
  listen: Listen;
  listens: readonly Listen[];
  url: string;
  hostname: string;
  servers: readonly ServerAddress[];
  networks: readonly Network[];
  size: number;
  integer: number;
  switch: boolean;
  choice: string;
}

type Table = typeof settings;
/** The settings in force; what has no default and was not given is null. */
export type Settings = {
  readonly [Name in SettingName]: Table[Name] extends { default: null }
    ? ValueOf[Table[Name]['type']] | null
    : ValueOf[Table[Name]['type']];
};

export type { SettingName, SettingRule };
