import type { ServerAddress } from '../../platform/core/settings.ts';
import type { Authentication } from '../../platform/mail/authentication.ts';
import { encodeFrame, type Frame } from '../../platform/process/frames.ts';

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

/** A piece follows the head of its frame. */
export function encodeMessage(message: CheckerMessage): Uint8Array {
  return 'piece' in message ? encodeFrame({ id: message.id }, message.piece) : encodeFrame(message);
}

/** Not checked: it comes from the process that started this one. */
export function decodeMessage({ head, bytes }: Frame): CheckerMessage {
  const given = head as CheckerMessage;
  return 'client_address' in given ? given : { id: given.id, piece: bytes };
}

export function encodeVerdicts(result: CheckerResult): Uint8Array {
  return encodeFrame(result);
}
