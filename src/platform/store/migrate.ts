import { readdirSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCode, readReason } from '../core/thrown.ts';
import { flushFile, makeFolder, move } from '../files/durable.ts';
import type { Sqlite } from './database.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import webhooks from './migrations/0002-webhooks.sql' with { type: 'text' };
import outbound from './migrations/0003-outbound.sql' with { type: 'text' };
import domains from './migrations/0004-domains.sql' with { type: 'text' };
import authentication from './migrations/0005-authentication.sql' with { type: 'text' };
import dashboard from './migrations/0006-dashboard.sql' with { type: 'text' };
import sending from './migrations/0007-sending.sql' with { type: 'text' };
import waitingEmails from './migrations/0008-waiting-emails.sql' with { type: 'text' };
import searchMerge from './migrations/0009-search-merge.sql' with { type: 'text' };
import startAndMerge from './migrations/0010-start-and-merge.sql' with { type: 'text' };
import suspendedSince from './migrations/0011-suspended-since.sql' with { type: 'text' };
import tags from './migrations/0012-tags.sql' with { type: 'text' };
import waitsOfAccounts from './migrations/0013-waits-of-accounts.sql' with { type: 'text' };
import traps from './migrations/0014-traps.sql' with { type: 'text' };
import searchText from './migrations/0015-search-text.sql' with { type: 'text' };
import oneFrame from './migrations/0016-one-frame.sql' with { type: 'text' };
import snippet from './migrations/0017-snippet.sql' with { type: 'text' };
import threads from './migrations/0018-threads.sql' with { type: 'text' };
import attachments from './migrations/0019-attachments.sql' with { type: 'text' };
import events from './migrations/0020-events.sql' with { type: 'text' };
import audit from './migrations/0021-audit.sql' with { type: 'text' };
import senders from './migrations/0022-senders.sql' with { type: 'text' };
import mailRules from './migrations/0023-mail-rules.sql' with { type: 'text' };
import hold from './migrations/0024-hold.sql' with { type: 'text' };
import identity from './migrations/0025-identity.sql' with { type: 'text' };
import secondFactor from './migrations/0026-second-factor.sql' with { type: 'text' };
import eventOrder from './migrations/0027-event-order.sql' with { type: 'text' };
import passkey from './migrations/0028-passkey.sql' with { type: 'text' };
import liveWebhooks from './migrations/0029-live-webhooks.sql' with { type: 'text' };
import ranges from './migrations/0030-ranges.sql' with { type: 'text' };
import outboundRebase from './migrations/0031-outbound-rebase.sql' with { type: 'text' };
import madeByOperator from './migrations/0032-made-by-operator.sql' with { type: 'text' };
import connections from './migrations/0033-connections.sql' with { type: 'text' };

/** In order. The store's `user_version` is the number of those that were applied. Never change a released one. */
const migrations: readonly string[] = [
  first,
  webhooks,
  outbound,
  domains,
  authentication,
  dashboard,
  sending,
  waitingEmails,
  searchMerge,
  startAndMerge,
  suspendedSince,
  tags,
  waitsOfAccounts,
  traps,
  searchText,
  oneFrame,
  snippet,
  threads,
  attachments,
  events,
  audit,
  senders,
  mailRules,
  hold,
  identity,
  secondFactor,
  eventOrder,
  passkey,
  liveWebhooks,
  ranges,
  outboundRebase,
  madeByOperator,
  connections,
];

export const SCHEMA_VERSION = migrations.length;

export function readSchemaVersion(database: Sqlite): number {
  return Number(database.pragma('user_version', { simple: true }));
}

export interface MigrateOptions {
  /** Folder for a copy of the store before the first step; no copy when absent. */
  copies?: string;
}

export interface Migrated {
  /** The schema version before; 0 for a new store. */
  from: number;
  /** The schema version after. */
  to: number;
  /** Path of the copy of the earlier store; null if there is none. */
  copy: string | null;
}

/**
 * Migrates the store to this program's schema in one transaction. Returns null if the store already has it. Throws if the
 * store is of a newer version, or if the disk has too little space; the store is then unchanged.
 */
export function migrate(database: Sqlite, { copies }: MigrateOptions = {}): Migrated | null {
  const from = readSchemaVersion(database);
  if (from > SCHEMA_VERSION) {
    throw new Error(
      `The store was written by a newer Postern (schema ${from}; this version supports ${SCHEMA_VERSION}). ` +
        'Install that version, or restore a backup made with this one.',
    );
  }
  if (from === SCHEMA_VERSION) return null;
  try {
    return migrateFrom(database, from, copies);
  } catch (fault) {
    if (!readCode(fault).startsWith('SQLITE_CORRUPT')) throw fault;
    throw new Error(
      `The store is damaged (${readReason(fault)}), so it can't be migrated to a new schema. It was not changed. ` +
        'Restore the newest backup (postern restore FILE); until then, the previous version may still read most of it.',
      { cause: fault },
    );
  }
}

function migrateFrom(database: Sqlite, from: number, copies: string | undefined): Migrated {
  const copy = from === 0 || copies === undefined ? null : copyBefore(database, copies, from);
  try {
    // One transaction for all steps. If a crash could leave the store between two of them, the next start would copy that
    // store, which no released version can open, and delete the copy from before the first step.
    database.transaction(() => {
      for (const step of migrations.slice(from)) database.exec(step);
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })();
  } catch (fault) {
    if (readCode(fault) !== 'SQLITE_FULL' || from === 0) throw fault;
    // The store is unchanged, and the copy only takes space.
    if (copy !== null) rmSync(copy, { force: true });
    throw new Error(
      `The store must be migrated to a new schema (${from} to ${SCHEMA_VERSION}), but its disk has too little space. ` +
        'The store was not changed. Free some space and start again; until then, use the ' +
        'previous version.',
    );
  }
  if (copy !== null) dropOlder(dirname(copy), copy);
  return { from, to: SCHEMA_VERSION, copy };
}

/** Copies the whole store and flushes the copy, which `postern restore` accepts. Returns its path. */
function copyBefore(database: Sqlite, copies: string, from: number): string {
  makeFolder(copies);
  refuseSmallDisk(database, copies);
  const copy = join(copies, `before-schema-${from + 1}.db`);
  const partial = `${copy}.partial`;
  rmSync(partial, { force: true });
  try {
    database.prepare('VACUUM INTO ?').run(partial);
    flushFile(partial);
    move(partial, copy);
  } finally {
    rmSync(partial, { force: true });
  }
  return copy;
}

function refuseSmallDisk(database: Sqlite, copies: string): void {
  const readPages = (name: string) => Number(database.pragma(name, { simple: true }));
  const needed = (readPages('page_count') - readPages('freelist_count')) * readPages('page_size');
  const { bavail, bsize } = statfsSync(copies);
  if (bavail * bsize > needed) return;
  throw new Error(
    `The store must be copied before it is migrated to a new schema, but ${copies} has no space for ` +
      `${Math.ceil(needed / 1024 ** 2)} MiB. Free some space, or make a backup elsewhere with the old version ` +
      '(postern backup FILE) and set POSTERN_MIGRATION_COPY=off.',
  );
}

/** Deletes the copies of earlier migrations. */
function dropOlder(copies: string, newest: string): void {
  for (const name of readdirSync(copies)) {
    const file = join(copies, name);
    if (/^before-schema-\d+\.db$/.test(name) && file !== newest) rmSync(file, { force: true });
  }
}
