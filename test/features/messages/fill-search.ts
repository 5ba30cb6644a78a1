import { indexSearch, mergeSearch } from '../../../src/features/messages/index-search.ts';
import { indexTextOp } from '../../../src/features/messages/query/writes.ts';
import type { RunningAppliance } from '../../start.ts';

/** Indexes and merges all messages now. The job would wait for the end of the flood that many deliveries are. */
export async function fillSearch({ services: { store } }: RunningAppliance): Promise<void> {
  for (const op of [indexSearch, indexTextOp]) while ((await store.write(op, { rows: 200 })) > 0);
  while ((await store.write(mergeSearch, null)) > 0);
}
