/** A composed mail that can be read piece by piece, any number of times. */
export interface MailPieces {
  /** Bytes. */
  size: number;
  /** Whether at least one byte is above 127. */
  has8Bit: boolean;
  /** Returns the pieces from the start, in order. The first has the whole header. */
  read(): Iterable<Uint8Array>;
}

/** Returns a mail in memory as a single piece. */
export function toMailPieces(bytes: Uint8Array): MailPieces {
  return { size: bytes.length, has8Bit: bytes.some((byte) => byte > 0x7f), read: () => [bytes] };
}
