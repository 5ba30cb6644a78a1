import type { SMTPServerAuthentication, SMTPServerSession } from 'smtp-server';
import { hasTraps } from '../../features/accounts/sql.ts';
import { openTrap } from '../../features/accounts/trap.ts';
import type { Clock } from '../../platform/core/clock.ts';
import { Windows } from '../../platform/core/window.ts';
import { formatCountedAddress, isIn, isLoopback } from '../../platform/net/client-ip.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { traps } from '../../rules/traps.ts';
import { noteRefusal, Refusal, type SmtpParts } from './session.ts';
import type { SmtpUser } from './user.ts';

/*
 * SMTP AUTH (RFC 4954). Capture accepts any user and password. On a server, the password is an API key that opens the
 * trap of its account, whatever the user name is (docs/testing.md, A trap for a team). AUTH gives access to nothing
 * else.
 */

type Limits = Pick<PlatformServices, 'settings' | 'limits'> & { clock: Pick<Clock, 'nowUs'> };

/** Bounds how many passwords an address may try. A restart resets the count. */
export class WrongPasswords {
  private readonly windows = new Windows();

  constructor(private readonly services: Limits) {}

  isExhausted(address: string): boolean {
    const { settings, limits, clock } = this.services;
    const { max, windowS } = limits.smtp_wrong_passwords_per_hour;
    return (
      settings.limits &&
      this.windows.look(formatCountedAddress(address), max, windowS, clock.nowUs()).remaining === 0
    );
  }

  count(address: string): void {
    const { limits, clock } = this.services;
    this.windows.take(
      formatCountedAddress(address),
      limits.smtp_wrong_passwords_per_hour.windowS,
      clock.nowUs(),
    );
  }
}

/** Whether AUTH is offered: `off` where no account is a trap, `in_clear` where others could read the password. */
export type AuthState = 'open' | 'in_clear' | 'off';

export function findAuthState(
  { services: { settings, store }, capture }: SmtpParts,
  { secure, remoteAddress }: { secure: boolean; remoteAddress: string },
): AuthState {
  if (capture) return 'open';
  if (!hasTraps(store)) return 'off';
  const isSafe =
    secure || isLoopback(remoteAddress) || isIn(remoteAddress, settings.smtp_auth_plain_networks ?? []);
  return isSafe ? 'open' : 'in_clear';
}

/** Signs a client in, or throws a Refusal. */
export function acceptUser(
  door: SmtpParts,
  wrongPasswords: WrongPasswords,
  { username, password }: Pick<SMTPServerAuthentication, 'username' | 'password'>,
  session: SMTPServerSession,
): SmtpUser {
  const name = (username ?? '').slice(0, traps.userNameChars).toWellFormed();
  if (door.capture) return { username: name, trap: null };
  const { remoteAddress } = session;
  if (wrongPasswords.isExhausted(remoteAddress)) throw new Refusal('too_many_wrong_keys');
  const trap = openTrap(door.services, password ?? '');
  if (typeof trap !== 'string') return { username: name, trap };
  // A right key of the wrong account is a mistake, not a guess.
  if (trap === 'wrong_key') wrongPasswords.count(remoteAddress);
  door.services.log.info('SMTP AUTH refused', { session: session.id, client: remoteAddress, reason: trap });
  noteRefusal(door, trap, session);
  throw new Refusal(trap);
}
