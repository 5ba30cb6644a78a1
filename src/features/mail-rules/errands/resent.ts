/**
 * The bytes of a forward (RFC 5322, section 3.6.6): those of the mail as received, below header fields of ours. The
 * mail is not changed, so the sender's DKIM signature stays valid, and with it DMARC. Only line ends become CRLF: SMTP
 * has no others (RFC 5321, section 2.3.8).
 */
import { viewBytes } from '../../../platform/core/bytes.ts';
import { nextTurn } from '../../../platform/core/next-turn.ts';
import type { ServerKey } from '../../../platform/core/sealed.ts';
import { readAddresses } from '../../../platform/mail/addresses.ts';
import { readMessageIds } from '../../../platform/mail/message-ids.ts';
import { errands as bounds } from '../../../rules/mail-rules.ts';

const MARK_FIELD = 'X-Postern-Forwarded';
const MAC_CHARS = 32;
/** How many marks are checked: an honest mail has one for each hop. */
const MARKS_MAX = 10;
/** An honest automatic answer has one author. Finding the addresses in a long From would block the event loop. */
const FROM_CHARS_MAX = 1_000;
/** No real mail has a longer header. Stops a mail that is nothing but header. */
const HEADER_BYTES_MAX = 512 * 1024;
const HEADER_END = '\r\n\r\n';
const [CR, LF] = [0x0d, 0x0a];

/** What the header of a mail says about the path that it took. */
export interface Trail {
  /** How many Received lines it has. */
  received: number;
  /** The inboxes of this server that forwarded it, by marks that we signed: anyone can write others. */
  inboxes: string[];
  hops: number;
  messageId: string;
  /** The addresses of From in lower case, if the mail is an automatic answer (RFC 3834, section 5); otherwise empty. */
  answeredBy: string[];
}

/** Reads the header at the start of a mail. Takes linear time. */
export function readTrail(head: Uint8Array, key: ServerKey): Trail {
  const fields = readHeaderFields(viewBytes(head).toString('latin1'));
  const messageId = readMessageIds(fields.get('message-id')?.[0] ?? '')[0] ?? '';
  const received = fields.get('received')?.length ?? 0;
  const isAnswer = /^auto-replied\b/i.test(fields.get('auto-submitted')?.[0] ?? '');
  const from = isAnswer ? (fields.get('from')?.[0] ?? '').slice(0, FROM_CHARS_MAX) : '';
  const answeredBy = readAddresses(from).map((address) => address.toLowerCase());
  const trail: Trail = { received, inboxes: [], hops: 0, messageId, answeredBy };
  for (const value of (fields.get(MARK_FIELD.toLowerCase()) ?? []).slice(0, MARKS_MAX)) {
    const [, inbox = '', hops = '', mac = ''] = /^(inbox_\w{1,64}); hops=(\d); mac=(\w+)$/.exec(value) ?? [];
    if (inbox === '' || mac !== signMark(key, inbox, Number(hops), messageId)) continue;
    trail.inboxes.push(inbox);
    trail.hops = Math.max(trail.hops, Number(hops));
  }
  return trail;
}

/** Returns why a mail must not be forwarded from an inbox to an address; null if it may be. */
export function findLoop(
  { received, inboxes, hops, answeredBy }: Trail,
  inboxId: string,
  to: string,
): string | null {
  if (inboxes.includes(inboxId)) return 'a loop: this inbox has forwarded the mail before';
  // An automatic answer is a new mail, so it has no mark of ours.
  if (answeredBy.includes(to.toLowerCase())) return `a loop: it is an automatic answer of ${to}`;
  if (hops >= bounds.hopsMax) return `a chain: ${hops} inboxes of this server have forwarded the mail`;
  if (received > bounds.receivedMax) return `a loop: the mail has ${received} Received lines`;
  return null;
}

function readHeaderFields(text: string): Map<string, string[]> {
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const fields = new Map<string, string[]>();
  for (const line of text.slice(0, end).split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trimEnd().toLowerCase();
    const known = fields.get(name);
    const value = line.slice(colon + 1).trim();
    if (known) known.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

/** Signs a mark. The Message-ID is part of it, so that a mark can't be copied from one mail to another. */
function signMark(key: ServerKey, inboxId: string, hops: number, messageId: string): string {
  return key.sign(`forwarded ${inboxId} ${hops} ${messageId}`).toString('hex').slice(0, MAC_CHARS);
}

export interface Resending {
  inbox: { id: string; address: string };
  to: string;
  /** With angle brackets. */
  resentId: string;
  /** In the form of RFC 5322, section 3.3. */
  date: string;
  /** The Received field that says how the mail came here, with its line end. */
  receivedField: string;
}

/** Returns the fields above the mail. Only `receivedField` has text that a stranger wrote. */
export function formatResent(resending: Resending, trail: Trail, key: ServerKey): string {
  const { inbox, to, resentId, date, receivedField } = resending;
  const hops = trail.hops + 1;
  const mac = signMark(key, inbox.id, hops, trail.messageId);
  return [
    `Resent-Date: ${date}`,
    `Resent-From: ${inbox.address}`,
    `Resent-To: ${to}`,
    `Resent-Message-ID: ${resentId}`,
    `${MARK_FIELD}: ${inbox.id}; hops=${hops}; mac=${mac}`,
    receivedField,
  ].join('\r\n');
}

/** Thrown if the header of a mail is longer than any real one. */
export class HeaderTooLong extends Error {}

/** Yields the fields and the mail, in pieces. The first has the whole header, because signing needs it. */
export async function* joinResent(fields: string, mail: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Buffer | null = Buffer.from(fields);
  let last = LF;
  let isHeaderDone = false;
  for (const piece of mail) {
    const fixed = normalizeLineEnds(piece, last);
    last = piece.at(-1) ?? last;
    if (isHeaderDone) {
      if (held) yield held;
      held = fixed;
    } else {
      held = Buffer.concat([held ?? new Uint8Array(), fixed]);
      if (held.includes(HEADER_END)) isHeaderDone = true;
      else if (held.length > HEADER_BYTES_MAX) throw new HeaderTooLong();
    }
    await nextTurn();
  }
  const end = last === CR ? '\n' : '';
  const rest: Buffer = Buffer.concat([held ?? new Uint8Array(), Buffer.from(end)]);
  if (isHeaderDone) yield rest;
  // A mail without a body may lack the empty line, too.
  else yield Buffer.concat([rest, Buffer.from(rest.at(-1) === LF ? '\r\n' : HEADER_END)]);
}

/** Returns a piece with CRLF at the end of every line. `before` is the byte before it. */
function normalizeLineEnds(piece: Uint8Array, before: number): Buffer {
  const whole = viewBytes(piece);
  let previous = before;
  let isCorrect = true;
  for (const byte of whole) {
    if ((byte === LF) !== (previous === CR)) isCorrect = false;
    previous = byte;
  }
  if (isCorrect) return whole;
  const fixed = Buffer.allocUnsafe(2 * whole.length + 1);
  let size = 0;
  previous = before;
  for (const byte of whole) {
    if (byte !== LF && previous === CR) fixed[size++] = LF;
    else if (byte === LF && previous !== CR) fixed[size++] = CR;
    fixed[size++] = byte;
    previous = byte;
  }
  return fixed.subarray(0, size);
}
