import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The server's own key. It encrypts cursors and those secrets that must be read again, and signs return addresses. */
export class ServerKey {
  private readonly sealing: Uint8Array;
  private readonly signing: Uint8Array;

  /** @param key 32 random bytes, kept in the data folder with mode 0600. */
  constructor(key: Uint8Array) {
    this.sealing = new Uint8Array(hkdfSync('sha256', key, '', 'postern seal', 32));
    this.signing = new Uint8Array(hkdfSync('sha256', key, '', 'postern sign', 32));
  }

  /** Encrypts with AES-256-GCM. `open` needs the same `context`, so a sealed value can't be moved to another row. */
  seal(plain: Uint8Array | string, context: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.sealing, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plain as string), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Decrypts. Throws if the value was changed, or was sealed with another key or for another context. */
  open(sealed: Uint8Array, context: string): Buffer {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', this.sealing, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch (fault) {
      // The library only says "unable to authenticate data".
      const text = 'a sealed secret was changed, or server.key belongs to another store: run postern doctor';
      throw new Error(text, { cause: fault });
    }
  }

  /** Returns the HMAC-SHA256 of a text, all 32 bytes. */
  sign(text: string): Buffer {
    return createHmac('sha256', this.signing).update(text).digest();
  }
}
