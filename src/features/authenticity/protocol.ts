import type { ServerAddress } from '../../platform/core/settings.ts';
import type { Authentication } from '../../platform/mail/authentication.ts';
import type { StoredPiece } from '../../platform/mail/stored-mail.ts';
import { encodeFrame, type Frame } from '../../platform/process/frames.ts';

/**
 * Messages to the checker process: the pieces of a mail as they are stored, then its envelope, which starts the check.
 */
export type CheckerMessage =
  | { id: number; piece: StoredPiece }
  | {
      id: number;
      client_address: string;
      helo: string;
      envelope_from: string;
      mx_host: string;
      dns_servers: readonly ServerAddress[];
    };

type PieceHead = { id: number } & Omit<StoredPiece, 'frame'>;

/** The process's answers, in any order. */
export interface CheckerResult {
  id: number;
  authentication: Authentication;
}

/** Encodes a message. The bytes of a piece follow the head of its frame. */
export function encodeMessage(message: CheckerMessage): Uint8Array {
  if (!('piece' in message)) return encodeFrame(message);
  const { frame, ...form } = message.piece;
  return encodeFrame({ id: message.id, ...form }, frame);
}

/** Decodes a message without checking it: it comes from the process that started this one. */
export function decodeMessage({ head, bytes }: Frame): CheckerMessage {
  const given = head as Exclude<CheckerMessage, { piece: StoredPiece }> | PieceHead;
  if ('client_address' in given) return given;
  const { id, ...form } = given;
  return { id, piece: { ...form, frame: bytes } };
}

export function encodeVerdicts(result: CheckerResult): Uint8Array {
  return encodeFrame(result);
}
