import type { ServerAddress } from '../../platform/core/settings.ts';
import type { Authentication } from '../../platform/mail/authentication.ts';

/** Messages to the checker process: the pieces of a mail (zstd), then what to check. */
export type CheckerMessage =
  | { id: number; piece: Uint8Array }
  | {
      id: number;
      client_address: string;
      helo: string;
      envelope_from: string;
      mx_host: string;
      dns_servers: readonly ServerAddress[] | null;
    };

/** The process's answers, in any order. */
export interface CheckerResult {
  id: number;
  authentication: Authentication;
}
