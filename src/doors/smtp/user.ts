import type { SMTPServerSession } from 'smtp-server';
import type { OpenTrap } from '../../features/accounts/trap.ts';

/** Who signed in by SMTP AUTH. */
export interface SmtpUser {
  username: string;
  /** What the password opened on a server; null in capture, which is open to everyone. */
  trap: OpenTrap | null;
}

/** Null before AUTH, and again after STARTTLS. */
export function readUser(session: SMTPServerSession): SmtpUser | null {
  return (session.user as SmtpUser | false | undefined) || null;
}
