import { DAY_US } from '../core/clock.ts';
import { jobOp, type Reading, type Tx } from '../store/operation.ts';
import { checkSameBody } from './idempotency.ts';
import type { OnceRequest } from './route.ts';

/** How long the result of an Idempotency-Key is kept. */
const REMEMBERED_US = DAY_US;

/**
 * Runs `make` at most once per Idempotency-Key. A repeat returns the first output again; another body with the same key is a
 * conflict. The output is stored as plain JSON, so a secret in it must be sealed.
 */
export function withIdempotency<Output>(tx: Tx, once: OnceRequest | null, make: () => Output): Output {
  if (!once) return make();
  const earlier = findEarlierOutput<Output>(tx, once, tx.nowUs);
  if (earlier) return earlier.output;
  const output = make();
  tx.sql(
    'INSERT OR REPLACE INTO idempotency (scope, key, body_hash, output, created_at) VALUES (?, ?, ?, ?, ?)',
  ).run(once.scope, once.key, Buffer.from(once.bodyHash), JSON.stringify(output), tx.nowUs);
  return output;
}

/**
 * Returns the earlier output of this Idempotency-Key, or null. Call it before checks of state that may have changed since: a
 * repeated reply must not fail because the message that it answers is gone. Throws conflict for another body.
 */
export function findEarlierOutput<Output>(
  reading: Reading,
  once: OnceRequest | null,
  nowUs: number,
): { output: Output } | null {
  if (!once) return null;
  const known = reading
    .sql('SELECT body_hash, output FROM idempotency WHERE scope = ? AND key = ? AND created_at > ?')
    .get(once.scope, once.key, nowUs - REMEMBERED_US) as { body_hash: Buffer; output: string } | undefined;
  if (!known) return null;
  checkSameBody(once, known.body_hash);
  return { output: JSON.parse(known.output) };
}

/** Replaces the output that a repeat gets. */
export function changeOutput(tx: Tx, { scope, key }: OnceRequest, output: unknown): void {
  tx.sql('UPDATE idempotency SET output = ? WHERE scope = ? AND key = ?').run(
    JSON.stringify(output),
    scope,
    key,
  );
}

/** Removes the output of a key whose change was undone. */
export function forgetOutput(tx: Tx, { scope, key }: OnceRequest): void {
  tx.sql('DELETE FROM idempotency WHERE scope = ? AND key = ?').run(scope, key);
}

/** Removes expired outputs, at most `max`. Returns their number. */
export const forgetIdempotency = jobOp('http.forget_idempotency', (tx, { max }: { max: number }): number => {
  return tx
    .sql(
      `DELETE FROM idempotency WHERE (scope, key) IN
         (SELECT scope, key FROM idempotency WHERE created_at <= ? LIMIT ?)`,
    )
    .run(tx.nowUs - REMEMBERED_US, max).changes;
});
