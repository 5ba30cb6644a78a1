import type { Floor } from '../floor.ts';
import { authenticate } from './authenticate.ts';
import { createAccount } from './create.ts';
import { createKey } from './keys/create.ts';
import { accountsOwnedBy } from './sql.ts';

const CAPTURE_EMAIL = 'capture@localhost';

/** The one account of capture mode. In a folder that is kept, it is that of the run before, with a key of its own. */
export async function captureAccount(
  floor: Floor,
  api_key: string | undefined,
): Promise<{ account_no: number; api_key: string }> {
  const [known] = accountsOwnedBy(floor.store, CAPTURE_EMAIL);
  if (!known) {
    const made = await createAccount(floor, { email: CAPTURE_EMAIL, name: 'Capture', api_key });
    return { account_no: made.account.no, api_key: made.api_key };
  }
  const account_no = known.no;
  if (api_key !== undefined && authenticate(floor, api_key)) return { account_no, api_key };
  // Each run leaves a key, and the plan's cap must not end the runs.
  const made = await createKey(floor, known, { name: 'capture', api_key }, Number.POSITIVE_INFINITY);
  return { account_no, api_key: made.api_key };
}
