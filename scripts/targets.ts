/** The machines that the executable is built for. */
import { existsSync } from 'node:fs';
import { packageManager } from '../package.json';

export const BUN_VERSION = packageManager.split('@')[1]!;

export interface Target {
  /** The npm package that has Bun for it. */
  runtime: string;
  /** The SQLite addon, which is a file in better-sqlite3's folder `prebuilds`. */
  addon: string;
  os: 'linux' | 'darwin';
  /** npm's name for it. */
  cpu: 'x64' | 'arm64';
  /** The dynamic loader, by which the C library of a machine is recognised. */
  loader?: string;
}

export const targets: Record<string, Target> = {
  'linux-x64': {
    runtime: '@oven/bun-linux-x64',
    addon: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    loader: '/lib64/ld-linux-x86-64.so.2',
  },
  'linux-arm64': {
    runtime: '@oven/bun-linux-aarch64',
    addon: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    loader: '/lib/ld-linux-aarch64.so.1',
  },
  'linux-x64-musl': {
    runtime: '@oven/bun-linux-x64-musl',
    addon: 'linuxmusl-x64',
    os: 'linux',
    cpu: 'x64',
    loader: '/lib/ld-musl-x86_64.so.1',
  },
  'linux-arm64-musl': {
    runtime: '@oven/bun-linux-aarch64-musl',
    addon: 'linuxmusl-arm64',
    os: 'linux',
    cpu: 'arm64',
    loader: '/lib/ld-musl-aarch64.so.1',
  },
  'darwin-x64': { runtime: '@oven/bun-darwin-x64', addon: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  'darwin-arm64': { runtime: '@oven/bun-darwin-aarch64', addon: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
};

/** Returns the target for this machine. One with both C libraries counts as one with glibc, as in scripts/setup. */
export function findOwnTarget(): string {
  const own = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux' || existsSync(targets[own]?.loader ?? '')) return own;
  return existsSync(targets[`${own}-musl`]?.loader ?? '') ? `${own}-musl` : own;
}
