import type { OfflineCheck } from './judge.ts';
import type { AddressVerdict, Mode, Verification } from './verdict.ts';
import type { Inquiry, InquiryOptions, Verifier } from './verifier.ts';

/** Unique addresses per batch (docs/api-v1.md, Limits). */
export const rowsMax: Readonly<Record<Mode, number>> = { safe: 100, full: 25 };
/** The time limit of a batch (docs/api-v1.md, Batch, rule 5). */
const BATCH_MS = 60_000;
/** How many addresses are checked at once, in total and per domain: no mail server should get many sessions from us. */
const concurrency: Readonly<Record<Mode, { all: number; ofDomain: number }>> = {
  safe: { all: 100, ofDomain: 100 },
  full: { all: 10, ofDomain: 2 },
};

export type Summary = Record<AddressVerdict | 'total', number>;

interface Row {
  place: number;
  offline: OfflineCheck;
  domain: string;
}

/** Verifies all addresses. The results are in the same order. */
export async function verifyBatch(
  verifier: Verifier,
  emails: readonly string[],
  { mode, accountId }: Pick<InquiryOptions, 'mode' | 'accountId'>,
  hungUp: AbortSignal,
): Promise<{ mode: Mode; results: Verification[]; summary: Summary }> {
  const inquiry = verifier.begin({ mode, accountId, lateReason: 'batch_budget_exhausted' }, BATCH_MS, hungUp);
  try {
    const rows = emails.map((email, place): Row => {
      const look = verifier.checkOffline(email);
      return { place, offline: look, domain: look.mailbox?.domain ?? '' };
    });
    const results = rows.map(({ offline: look }) => verifier.giveUp(look, inquiry));
    await runRows(rows, inquiry, async ({ place, offline: look }) => {
      results[place] = await verifier.complete(look, inquiry);
    });
    return { mode, results, summary: summarize(results) };
  } finally {
    inquiry.end();
  }
}

/** Runs the addresses in order, as many at once as may. Starts none after the inquiry has ended. */
async function runRows(
  rows: readonly Row[],
  inquiry: Inquiry,
  run: (row: Row) => Promise<void>,
): Promise<void> {
  const { all, ofDomain } = concurrency[inquiry.mode];
  const waiting = [...rows];
  const running = new Set<Promise<void>>();
  const byDomain = new Map<string, number>();
  while (waiting.length > 0 && !inquiry.isOver()) {
    const index = waiting.findIndex(({ domain }) => (byDomain.get(domain) ?? 0) < ofDomain);
    const row = running.size < all ? waiting[index] : undefined;
    if (!row) {
      await Promise.race(running);
      continue;
    }
    waiting.splice(index, 1);
    byDomain.set(row.domain, (byDomain.get(row.domain) ?? 0) + 1);
    const done = run(row).finally(() => {
      running.delete(done);
      byDomain.set(row.domain, byDomain.get(row.domain)! - 1);
    });
    running.add(done);
  }
  await Promise.all(running);
}

function summarize(results: readonly Verification[]): Summary {
  const summary: Summary = { total: results.length, deliverable: 0, risky: 0, undeliverable: 0, unknown: 0 };
  for (const { deliverable } of results) summary[deliverable] += 1;
  return summary;
}
