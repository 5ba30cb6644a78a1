/**
 * The mbox format: many mails in one file (RFC 4155; quoted as in mboxrd, which is reversible). Mails are read back
 * byte for byte. The format adds a line end to a mail without one, so the line that begins each mail also says its
 * length. Other programs read that as a comment.
 */

export interface MboxMail {
  raw: Buffer;
  /** The address on the line that begins the mail; empty if there is none. */
  sender: string;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const NOBODY = 'MAILER-DAEMON';
const BEGINS = /^From \S+ .*\d\d:\d\d/;
const LINE_BYTES_MAX = 1000;
const LENGTH = / postern-bytes=(\d{1,12})$/;

/** Formats a mail for an mbox file. `at` is when it was received, in microseconds. */
export function formatMbox(raw: Uint8Array, sender: string, at: number): Buffer {
  // Latin-1 maps each byte to one character and back.
  const text = Buffer.from(raw)
    .toString('latin1')
    .replace(/^(>*From )/gm, (quoted, _, offset, whole) =>
      // With `m`, ^ also matches after a bare CR; only LF counts.
      offset === 0 || whole[offset - 1] === '\n' ? `>${quoted}` : quoted,
    );
  const who = /^[!-~]+$/.test(sender) ? sender : NOBODY;
  const end = text.endsWith('\n') ? '\n' : '\n\n';
  return Buffer.from(`From ${who} ${formatAsctime(at)} postern-bytes=${raw.length}\n${text}${end}`, 'latin1');
}

/** Formats a time as `Sat Nov 21 08:00:00 2026`, UTC. */
function formatAsctime(at: number): string {
  const date = new Date(at / 1000);
  const two = (number: number, fill: string) => String(number).padStart(2, fill);
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map((part) =>
    two(part, '0'),
  );
  const day = `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate(), ' ')}`;
  return `${day} ${clock.join(':')} ${date.getUTCFullYear()}`;
}

export function isMbox(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 5)).toString('latin1') === 'From ';
}

/** Reads a file piece by piece and yields its mails. Holds one mail at a time in memory. */
export class MboxReader {
  private held = Buffer.alloc(0);
  private length = 0;
  /** Up to here, no other mail begins. */
  private searchedTo = 0;

  /** @param bytesMax `push` throws for a larger mail: the file is damaged, or not an mbox. */
  constructor(private readonly bytesMax: number) {}

  *push(chunk: Uint8Array): Generator<MboxMail> {
    this.append(chunk);
    for (let start = this.findNextStart(); start >= 0; start = this.findNextStart()) {
      yield readMail(this.held.subarray(0, start));
      this.held.copy(this.held, 0, start, this.length);
      this.length -= start;
      this.searchedTo = 0;
    }
    if (this.length > this.bytesMax) throw new Error(`a mail is larger than ${this.bytesMax} bytes`);
  }

  *end(): Generator<MboxMail> {
    if (this.length > 0) yield readMail(this.held.subarray(0, this.length));
    this.length = 0;
  }

  private append(chunk: Uint8Array): void {
    if (this.length + chunk.length > this.held.length) {
      const larger = Buffer.alloc(Math.max(2 * this.held.length, this.length + chunk.length));
      this.held.copy(larger, 0, 0, this.length);
      this.held = larger;
    }
    this.held.set(chunk, this.length);
    this.length += chunk.length;
  }

  /**
   * Returns where the next mail begins; -1 if that has not been read yet. A mail begins with a line that has a sender
   * and a time and follows an empty line: some programs do not quote a sentence that begins with "From".
   */
  private findNextStart(): number {
    const held = this.held.subarray(0, this.length);
    for (let at = held.indexOf('\nFrom ', this.searchedTo); at >= 0; at = held.indexOf('\nFrom ', at + 1)) {
      const before = held.toString('latin1', Math.max(0, at - 2), at);
      if (!before.endsWith('\n') && before !== '\n\r') continue;
      const end = held.subarray(at + 1, at + LINE_BYTES_MAX).indexOf('\n');
      if (end < 0 && this.length - at < LINE_BYTES_MAX) {
        this.searchedTo = at;
        return -1;
      }
      if (BEGINS.test(held.toString('latin1', at + 1, at + 1 + end))) return at + 1;
    }
    // Half the line may be in the next piece.
    this.searchedTo = Math.max(0, this.length - '\nFrom '.length);
    return -1;
  }
}

/** Reads a mail. `bytes` begins with the line that begins the mail, and ends where the next one begins. */
function readMail(bytes: Buffer): MboxMail {
  const newline = bytes.indexOf('\n');
  const line = bytes.toString('latin1', 0, newline < 0 ? bytes.length : newline).trimEnd();
  const text = newline < 0 ? '' : bytes.toString('latin1', newline + 1);
  const unquoted = text.replace(/(^|\n)>(>*From )/g, '$1$2');
  const sender = line.split(' ')[1] ?? '';
  const length = LENGTH.exec(line)?.[1];
  return {
    raw: Buffer.from(
      length === undefined ? removeGap(unquoted) : unquoted.slice(0, Number(length)),
      'latin1',
    ),
    sender: sender === NOBODY || !sender.includes('@') ? '' : sender,
  };
}

/** Removes the empty line between two mails, which belongs to neither. */
function removeGap(text: string): string {
  return text.replace(/(\n)\r?\n$/, '$1');
}
