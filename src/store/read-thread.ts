import { shareAddon } from './addon.ts';
import { openReader, type Sqlite, Statements } from './database.ts';
import type { AnyReadOp } from './operation.ts';
import { answerThrown, type FromThread, type ToThread } from './thread.ts';

/** The reader thread: searches and other reads whose time nobody can bound, away from the sockets. */
export function serveReads(operations: readonly AnyReadOp[], port: Worker): void {
  const post = (message: FromThread) => port.postMessage(message);
  const known = new Map(operations.map((operation) => [operation.name, operation]));
  let database: Sqlite | undefined;
  let statements: Statements | undefined;

  port.onmessage = ({ data }: MessageEvent<ToThread>) => {
    if ('start' in data) {
      try {
        shareAddon(data.start.addon);
        database = openReader(data.start.file);
        statements = new Statements(database);
        post({ ready: true });
      } catch (fault) {
        post({ broken: fault instanceof Error ? fault.message : String(fault) });
      }
    } else if ('stop' in data) {
      database?.close();
      post({ stopped: true });
    } else {
      for (const { id, name, input } of data.calls) {
        try {
          const operation = known.get(name);
          if (!operation || !database || !statements) throw new Error(`no read operation is named ${name}`);
          const kept = statements;
          const output = operation.run({ sql: (text) => kept.sql(text), database }, input);
          post({ answers: [{ id, output }] });
        } catch (thrown) {
          post({ answers: [answerThrown(id, thrown)] });
        }
      }
    }
  };
}
