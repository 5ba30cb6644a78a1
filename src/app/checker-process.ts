/** The role of the checker process: checks senders by SPF, DKIM and DMARC, until its parent ends or kills it. */
import { checkSender } from '../features/authenticity/check.ts';
import { type CheckerMessage, decodeMessage, encodeVerdicts } from '../features/authenticity/protocol.ts';
import { makeTempError } from '../platform/mail/authentication.ts';
import { readStoredPiece, type StoredPiece } from '../platform/mail/stored-mail.ts';
import { makeResolver } from '../platform/net/dns.ts';
import { HEARTBEAT } from '../platform/process/frames.ts';
import { openParent } from '../platform/process/parent.ts';

/** Interval of signs of life while a check waits for the DNS: the parent takes silence for a hang. */
const HEARTBEAT_MS = 500;

const pieces = new Map<number, StoredPiece[]>();
let atWork = 0;

const parent = openParent(
  (frames) => {
    for (const frame of frames) take(decodeMessage(frame));
  },
  { internet: true },
);
setInterval(() => atWork > 0 && parent.send([HEARTBEAT]), HEARTBEAT_MS).unref();

function take(message: CheckerMessage): void {
  const { id } = message;
  if ('piece' in message) {
    pieces.set(id, [...(pieces.get(id) ?? []), message.piece]);
    return;
  }
  const stored = pieces.get(id) ?? [];
  pieces.delete(id);
  atWork += 1;
  checkSender({ ...message, pieces: stored.values().map(readStoredPiece) }, makeResolver(message.dns_servers))
    .catch((fault: unknown) => makeTempError(String(fault)))
    .then((authentication) => {
      atWork -= 1;
      parent.send([encodeVerdicts({ id, authentication })]);
    });
}
