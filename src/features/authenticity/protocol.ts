import type { ServerAddress } from '../../platform/core/settings.ts';
import type { Authentication } from '../../platform/mail/authentication.ts';

/** What the appliance tells the checker process: pieces of a mail (zstd), and last what is to be checked of it. */
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

/** What it answers, in whatever order. */
export interface CheckerResult {
  id: number;
  authentication: Authentication;
}
