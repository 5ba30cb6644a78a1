import { authenticate, type KeyServices } from './authenticate.ts';
import { createAccount } from './create.ts';
import { createKey } from './keys/create.ts';
import { listAccountsOwnedBy } from './sql.ts';

/** Whose the mail of a capture is. */
export interface CaptureOwner {
  account_no: number;
  /** What the browser keeps after opening the dashboard with the key. */
  dashboardToken: string;
}

/** The owner of a trap's account, which is the first one in its folder. */
export const CAPTURE_EMAIL = 'capture@localhost';

/** The one account of capture mode. A kept folder keeps its account, and each run creates a new key. */
export async function captureAccount(
  services: KeyServices,
  apiKey: string | undefined,
): Promise<{ account_no: number; api_key: string }> {
  const [known] = listAccountsOwnedBy(services.store, CAPTURE_EMAIL);
  if (!known) {
    const made = await createAccount(services, { email: CAPTURE_EMAIL, name: 'Capture', api_key: apiKey });
    return { account_no: made.account.no, api_key: made.api_key };
  }
  const accountNo = known.no;
  if (apiKey !== undefined && authenticate(services, apiKey))
    return { account_no: accountNo, api_key: apiKey };
  // Each run adds a key, and the plan's cap must not stop new runs.
  const made = await createKey(
    services,
    known,
    { name: 'capture', api_key: apiKey },
    Number.POSITIVE_INFINITY,
  );
  return { account_no: accountNo, api_key: made.api_key };
}
