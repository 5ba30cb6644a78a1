import { authenticate, type KeyServices } from './authenticate.ts';
import { createAccount } from './create.ts';
import { createKey } from './keys/create.ts';
import { listAccountsOwnedBy } from './sql.ts';

/** The account that all mail of capture mode belongs to. */
export interface CaptureOwner {
  accountNo: number;
  /** The token that the browser keeps once it has opened the dashboard with the key. */
  dashboardToken: string;
}

/** The email of that account's owner. */
export const CAPTURE_EMAIL = 'capture@localhost';

/**
 * Finds or creates the account of capture mode. With `--data` the account outlives the run; each run creates a new key.
 */
export async function openCaptureAccount(
  services: KeyServices,
  apiKey: string | undefined,
): Promise<{ accountNo: number; apiKey: string }> {
  const [known] = listAccountsOwnedBy(services.store, CAPTURE_EMAIL);
  if (!known) {
    const created = await createAccount(services, { email: CAPTURE_EMAIL, name: 'Capture', api_key: apiKey });
    return { accountNo: created.account.no, apiKey: created.api_key };
  }
  const accountNo = known.no;
  if (apiKey !== undefined && authenticate(services, apiKey)) return { accountNo, apiKey };
  // Each run adds a key, and the plan's cap must not stop new runs.
  const created = await createKey(
    services,
    known,
    { name: 'capture', api_key: apiKey },
    Number.POSITIVE_INFINITY,
  );
  return { accountNo, apiKey: created.api_key };
}
