import type { Network } from '../core/settings.ts';
import type { Resolver } from './dns.ts';
import { resolveTarget } from './guard.ts';

export interface PostOptions {
  url: string;
  /** Besides Host, Content-Length, Connection and Accept-Encoding, which are set here. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Networks that may be reached although they are not public, by plain http too. */
  allow: readonly Network[];
  resolver: Resolver;
  /** PEM, trusted besides the built-in roots. */
  extra_ca: readonly string[];
  timeouts?: Partial<PostTimes>;
}

export interface PostTimes {
  /** From dialling until the connection is secure: 5 s. */
  connect_ms: number;
  /** For all of it, the look-up included: 10 s. */
  total_ms: number;
}

export type PostOutcome =
  /** Any status, a redirect too. `body` is the first 2 KiB of the answer's. */
  | { kind: 'answered'; status: number; retry_after: string | null; body: string; duration_ms: number }
  /** By the guard: no packet was sent. */
  | { kind: 'refused'; reasons: string[] }
  | { kind: 'unreachable'; reasons: string[]; duration_ms: number };

/** Sends one POST to a target that the guard lets pass. Never throws. */
export async function post(options: PostOptions): Promise<PostOutcome> {
  const judged = await resolveTarget(options.resolver, options.url, options.allow);
  if (judged.kind === 'refused') return judged;
  return { kind: 'unreachable', reasons: ['not built yet'], duration_ms: 0 };
}
