/** A passkey without a browser. It answers a server's challenge (WebAuthn Level 2), honestly or as a test wants it to lie. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Ceremony {
  // biome-ignore lint/suspicious/noExplicitAny: options are read as they are on the wire.
  options: any;
  pending: string;
}

/** Values that replace the honest ones. */
export interface Lies {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  counter?: number;
  handle?: string | null;
  id?: string;
  /** 0x05 means user present and user verified. */
  flags?: number;
  /** Replaces the whole attestation object. */
  attestation?: Uint8Array;
  fmt?: string;
  statement?: Map<unknown, unknown>;
}

export type Kind = 'ES256' | 'EdDSA' | 'RS256';

const PRESENT_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

export class Authenticator {
  readonly id = randomBytes(32);
  counter = 0;
  handle = '';
  private readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;

  constructor(
    private readonly origin: string,
    private readonly rpId = 'localhost',
    private readonly kind: Kind = 'ES256',
  ) {
    const pair =
      kind === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : kind === 'EdDSA'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.publicKey = pair.publicKey;
    this.privateKey = pair.privateKey;
  }

  /** Answers as `navigator.credentials.create` does. */
  create({ options }: Ceremony, lies: Lies = {}) {
    this.handle = options.user.id;
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([this.id.length >> 8, this.id.length & 255]),
      this.id,
      encode(this.formatKey()),
    ]);
    const authData = this.formatData(lies, HAS_CREDENTIAL, credential);
    const object = new Map<unknown, unknown>([
      ['fmt', lies.fmt ?? 'none'],
      ['attStmt', lies.statement ?? new Map()],
      ['authData', authData],
    ]);
    return {
      ...this.name(lies),
      response: {
        clientDataJSON: base64(this.formatClient('webauthn.create', options, lies)),
        attestationObject: base64(lies.attestation ?? encode(object)),
        transports: ['internal'],
      },
      clientExtensionResults: {},
    };
  }

  /** Answers as `navigator.credentials.get` does. */
  get({ options }: Ceremony, lies: Lies = {}) {
    const authData = this.formatData(lies, 0, Buffer.alloc(0));
    const client = this.formatClient('webauthn.get', options, lies);
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
    const handle = lies.handle === undefined ? this.handle : lies.handle;
    return {
      ...this.name(lies),
      response: {
        clientDataJSON: base64(client),
        authenticatorData: base64(authData),
        signature: base64(sign(this.kind === 'EdDSA' ? null : 'sha256', signed, this.privateKey)),
        ...(handle === null ? {} : { userHandle: handle }),
      },
      clientExtensionResults: {},
    };
  }

  private name({ id = base64(this.id) }: Lies) {
    return { id, rawId: id, type: 'public-key' };
  }

  private formatClient(type: string, { challenge }: { challenge: string }, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? this.origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  }

  private formatData(lies: Lies, more: number, credential: Buffer): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? this.counter);
    return Buffer.concat([
      createHash('sha256')
        .update(lies.rpId ?? this.rpId)
        .digest(),
      Buffer.from([(lies.flags ?? PRESENT_VERIFIED) | more]),
      counter,
      credential,
    ]);
  }

  /** Formats the public key as COSE (RFC 9053). */
  private formatKey(): Map<number, unknown> {
    const key = this.publicKey.export({ format: 'jwk' });
    const read = (text?: string) => Buffer.from(text ?? '', 'base64url');
    const parts: Record<Kind, [number, unknown][]> = {
      ES256: [
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, read(key.x)],
        [-3, read(key.y)],
      ],
      EdDSA: [
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, read(key.x)],
      ],
      RS256: [
        [1, 3],
        [3, -257],
        [-1, read(key.n)],
        [-2, read(key.e)],
      ],
    };
    return new Map(parts[this.kind]);
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** Encodes a value as CBOR (RFC 8949), with the types that a passkey needs. */
export function encode(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap((pair) => pair.map(encode))]);
  throw new Error('not needed');
}

function head(major: number, size: number): Buffer {
  const first = major << 5;
  if (size < 24) return Buffer.from([first | size]);
  if (size < 256) return Buffer.from([first | 24, size]);
  return Buffer.from([first | 25, size >> 8, size & 255]);
}
