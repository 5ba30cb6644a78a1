/** A composed mail that is read piece by piece, as often as it is needed. */
export interface MailPieces {
  /** Bytes. */
  size: number;
  /** At least one byte is above 127. */
  has8Bit: boolean;
  /** From the start, in order. The first piece has the whole header. */
  read(): Iterable<Uint8Array>;
}

/** A mail in memory. */
export function wholeMail(bytes: Uint8Array): MailPieces {
  return { size: bytes.length, has8Bit: bytes.some((byte) => byte > 0x7f), read: () => [bytes] };
}
