/** A verified domain, optionally signing, created without DNS queries, for tests of what comes after. */

import { createRsaPair, sealDkimKey } from '../../../src/features/domains/dkim-key.ts';
import type { Domain } from '../../../src/features/domains/sql.ts';
import { listDkimKeys } from '../../../src/features/domains/sql.ts';
import { addDkimKeyOp, createDomainOp, recordCheckOp } from '../../../src/features/domains/writes.ts';
import type { PlatformServices } from '../../../src/platform/services.ts';

/** Creating a pair takes a tenth of a second, so all of these share one. */
let pair: ReturnType<typeof createRsaPair> | undefined;

export async function readyDomain(
  { store, key }: PlatformServices,
  accountNo: number,
  name: string,
  dkim: 'verified' | 'pending_dns' | 'none' = 'verified',
): Promise<Domain> {
  const input = { account_no: accountNo, cap: 1000, name };
  const { id, no } = await store.write(createDomainOp, { input, once: null });
  const found = { verdict: 'yes', error: null } as const;
  const verified = await store.write(recordCheckOp, { id, found, keys: null, byOwner: false });
  if (dkim === 'none') return verified!;
  pair ??= createRsaPair();
  const added = await store.write(addDkimKeyOp, {
    account_no: accountNo,
    id,
    ...sealDkimKey(key, id, await pair),
  });
  if (dkim === 'pending_dns') return added;
  const keys = listDkimKeys(store, no).map((one) => ({ no: one.no, verdict: 'yes' as const }));
  return (await store.write(recordCheckOp, { id, found, keys, byOwner: false }))!;
}
