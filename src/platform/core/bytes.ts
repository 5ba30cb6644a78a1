/** Returns the same bytes as a Buffer, which can read text and numbers. Copies nothing. */
export function viewBytes(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
