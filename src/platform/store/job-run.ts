import { type Reading, writeOp } from './operation.ts';

/** Returns the time of each job's last run, in microseconds. */
export function readLastRuns(reading: Reading): Map<string, number> {
  const rows = reading.sql('SELECT name, last_at FROM job_run').all() as { name: string; last_at: number }[];
  return new Map(rows.map(({ name, last_at }) => [name, last_at]));
}

export const noteJobRunOp = writeOp(
  'store.note_job_run',
  (tx, { names, at }: { names: readonly string[]; at: number }): void => {
    for (const name of names) {
      tx.sql('INSERT OR REPLACE INTO job_run (name, last_at) VALUES (?, ?)').run(name, at);
    }
  },
);
