/** Passkeys on the wire: what the pages load, and what browsers answer. */
import { z } from 'zod';
import type { NoPasskeys } from '../../../platform/core/rp-id.ts';

/** The origin at which passkeys work, or the reason why they can't. */
export type PasskeyPlace = { origin: string; problem: null } | { origin: null; problem: NoPasskeys };

export interface PasskeyView {
  id: string;
  name: string;
  /** The host name that it is bound to, if that is not this server's; else null. */
  other_host: string | null;
  /** Whether a password manager syncs it, so that it is not tied to one device. */
  is_synced: boolean;
  created_at: string;
  used_at: string | null;
}

export interface PasskeyState {
  place: PasskeyPlace;
  passkeys: PasskeyView[];
  /** Whether the person can confirm a change with their password. */
  has_password: boolean;
}

/** The options for the browser's WebAuthn call, and the sealed challenge that it sends back with its answer. */
export interface Ceremony {
  options: object;
  pending: string;
}

/** WebAuthn 4, Credential ID: at most 1,023 bytes. */
export const CREDENTIAL_ID_BYTES_MAX = 1_023;
/** Base64url. Its length bounds the bytes that are decoded. */
const bytes = (charsMax: number) =>
  z
    .string('must be a string')
    .max(charsMax, 'is too long')
    .regex(/^[\w-]*$/, 'must be base64url');
const id = bytes(Math.ceil((CREDENTIAL_ID_BYTES_MAX * 4) / 3));
const clientData = bytes(8_000);

// Not strict: browsers add fields of their own, which are dropped.
export const Creation = z.object({
  id,
  rawId: id,
  type: z.literal('public-key', 'must be public-key'),
  response: z.object({
    clientDataJSON: clientData,
    // The maker's attestation, which is not asked for, may contain certificates.
    attestationObject: bytes(32_000),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
});

export const Assertion = z.object({
  id,
  rawId: id,
  type: z.literal('public-key', 'must be public-key'),
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData: bytes(4_000),
    signature: bytes(4_000),
    userHandle: bytes(100).nullish(),
  }),
});

export type CreationAnswer = z.output<typeof Creation>;
export type AssertionAnswer = z.output<typeof Assertion>;
