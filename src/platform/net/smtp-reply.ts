/** A server's reply (RFC 5321 4.2). */
export interface WireReply {
  code: number;
  /** The text of each line, without the code. */
  lines: string[];
}

/** Most bytes of a session. No honest server sends more in reply to a handful of commands. */
const SESSION_BYTES_MAX = 64 * 1024;
const LINE_CHARS_MAX = 4 * 1024;

/** Assembles replies from the pieces that arrive. */
export class ReplyReader {
  private rest = '';
  private bytes = 0;
  private lines: string[] = [];
  private readonly replies: WireReply[] = [];
  /** Keeps state, because a character may be split between two pieces. */
  private readonly decoder = new TextDecoder();

  get hasReply(): boolean {
    return this.replies.length > 0;
  }

  next(): WireReply | undefined {
    return this.replies.shift();
  }

  /** Reads a piece. Returns false if it is not SMTP, or too long. */
  take(piece: Uint8Array): boolean {
    this.bytes += piece.length;
    if (this.bytes > SESSION_BYTES_MAX) return false;
    this.rest += this.decoder.decode(piece, { stream: true });
    for (let end = this.rest.indexOf('\n'); end >= 0; end = this.rest.indexOf('\n')) {
      const line = this.rest.slice(0, end).replace(/\r$/, '');
      this.rest = this.rest.slice(end + 1);
      if (!this.takeLine(line)) return false;
    }
    return this.rest.length <= LINE_CHARS_MAX;
  }

  private takeLine(line: string): boolean {
    const [, code = '', mark, text = ''] = /^([2-5]\d\d)(?:([ -])(.*))?$/s.exec(line) ?? [];
    if (code === '' || line.length > LINE_CHARS_MAX) return false;
    this.lines.push(text);
    if (mark === '-') return true;
    this.replies.push({ code: Number(code), lines: this.lines });
    this.lines = [];
    return true;
  }
}
