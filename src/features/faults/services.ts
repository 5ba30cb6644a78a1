import type { PlatformServices } from '../../platform/services.ts';
import type { TrapServices } from '../accounts/trap.ts';
import type { FaultRules } from './rules.ts';

export interface FaultServices extends PlatformServices, TrapServices {
  readonly faultRules: FaultRules;
}
