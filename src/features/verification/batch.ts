import type { FirstLook } from './judge.ts';
import type { AddressVerdict, Mode, Verification } from './verdict.ts';
import type { Inquiry, InquiryOptions, Verifier } from './verifier.ts';

/** Unique addresses per batch (docs/api-v1.md, Limits). */
export const rowsMax: Readonly<Record<Mode, number>> = { safe: 100, full: 25 };
/** The time limit of a batch (docs/api-v1.md, Batch, rule 5). */
const BATCH_MS = 60_000;
/** Addresses checked at once, in total and per domain, so that no mail server gets many sessions at once from us. */
const sideBySide: Readonly<Record<Mode, { all: number; ofDomain: number }>> = {
  safe: { all: 100, ofDomain: 100 },
  full: { all: 10, ofDomain: 2 },
};

export type Summary = Record<AddressVerdict | 'total', number>;

interface Row {
  place: number;
  look: FirstLook;
  domain: string;
}

/** Verifies all addresses. Results are in their order. */
export async function verifyBatch(
  verifier: Verifier,
  emails: readonly string[],
  { mode, asker }: Pick<InquiryOptions, 'mode' | 'asker'>,
  hungUp: AbortSignal,
): Promise<{ mode: Mode; results: Verification[]; summary: Summary }> {
  const inquiry = verifier.begin({ mode, asker, late: 'batch_budget_exhausted' }, BATCH_MS, hungUp);
  try {
    const rows = emails.map((email, place): Row => {
      const look = verifier.look(email);
      return { place, look, domain: look.mailbox?.domain ?? '' };
    });
    const results = rows.map(({ look }) => verifier.giveUp(look, inquiry));
    await runRows(rows, inquiry, async ({ place, look }) => {
      results[place] = await verifier.goOn(look, inquiry);
    });
    return { mode, results, summary: summarize(results) };
  } finally {
    inquiry.end();
  }
}

/** Runs each address in order when there is room for it. Starts none after the inquiry ends. */
async function runRows(
  rows: readonly Row[],
  inquiry: Inquiry,
  run: (row: Row) => Promise<void>,
): Promise<void> {
  const { all, ofDomain } = sideBySide[inquiry.mode];
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
