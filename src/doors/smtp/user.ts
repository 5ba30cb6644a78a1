import type { SMTPServerSession } from 'smtp-server';
import type { OpenTrap } from '../../features/accounts/trap.ts';

/** The user who signed in with SMTP AUTH. */
export interface SmtpUser {
  username: string;
  /** The trap that the password opened on a server; null in capture mode, which is open to everyone. */
  trap: OpenTrap | null;
}

/** Returns the session's user; null before AUTH, and again after STARTTLS. */
export function readUser(session: SMTPServerSession): SmtpUser | null {
  return (session.user as SmtpUser | false | undefined) || null;
}
