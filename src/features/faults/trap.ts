import type { PlatformServices } from '../../platform/services.ts';
import type { CaptureOwner } from '../accounts/capture-account.ts';
import type { FaultRules } from './rules.ts';

export interface FaultServices extends PlatformServices {
  readonly faultRules: FaultRules;
  /** The one account of capture mode; null on a server. */
  readonly capture: CaptureOwner | null;
}

/** Whether mail of this account is test mail, never relayed: only there may SMTP be made to fail on demand. */
export function isTrap({ capture }: Pick<FaultServices, 'capture'>, account: { no: number }): boolean {
  return capture?.account_no === account.no;
}
