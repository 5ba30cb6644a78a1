import type { Log } from '../../../platform/core/log.ts';
import { type Opened, openSession, type ServerOptions } from '../../../platform/net/smtp-client.ts';
import { formatServerReply } from './outcome.ts';

/** What is remembered about the TLS of a server. */
export interface TlsMemory {
  readonly isTlsBroken: boolean;
  noteBrokenTls(): void;
}

/**
 * Opens a session. Where TLS is opportunistic, broken TLS is no reason not to send the mail (RFC 7435): if TLS fails, it
 * dials again without it, and does so from the start as long as `memory` says that TLS is broken.
 */
export async function openWithFallback(
  log: Log,
  options: ServerOptions,
  memory: TlsMemory | null,
): Promise<Opened> {
  if (options.security !== 'when_offered') return openSession(options);
  const openPlain = () => openSession({ ...options, security: 'off' });
  if (memory?.isTlsBroken) return openPlain();
  const opened = await openSession(options);
  if (opened.kind === 'open' || !opened.isTls) return opened;
  const plain = await openPlain();
  if (plain.kind === 'open') {
    const reason = formatServerReply(opened.reply);
    log.info('mail goes without TLS, because TLS failed', { host: options.host, reason });
    memory?.noteBrokenTls();
  }
  return plain;
}
