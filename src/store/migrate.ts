import type { Sqlite } from './database.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };
import webhooks from './migrations/0002-webhooks.sql' with { type: 'text' };
import outbound from './migrations/0003-outbound.sql' with { type: 'text' };
import domains from './migrations/0004-domains.sql' with { type: 'text' };

/** In order; the store's `user_version` tells how many of them it has seen. Never change one that was released. */
const migrations: readonly string[] = [first, webhooks, outbound, domains];

export const SCHEMA_VERSION = migrations.length;

/** Brings the store to this program's schema, each step in its own transaction. Refuses a newer store. */
export function migrate(database: Sqlite): void {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The store was made by a newer Postern (schema ${version}; this one knows ${SCHEMA_VERSION}). ` +
        'Install that version, or restore a backup made with this one.',
    );
  }
  for (const [index, step] of migrations.slice(version).entries()) {
    database.transaction(() => {
      database.exec(step);
      database.pragma(`user_version = ${version + index + 1}`);
    })();
  }
}
