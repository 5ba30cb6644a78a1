import { type CallOptions, type Connection, encodeName } from './connection.js';
import type * as wire from './wire.js';

/** Makes the SMTP of a trap refuse, wait or hang up, to see what your mailer does (docs/testing.md). */
export class SmtpFaults {
  constructor(private readonly connection: Connection) {}

  add(fault: wire.NewSmtpFault, options: CallOptions = {}): Promise<wire.SmtpFault> {
    return this.connection.data({ method: 'POST', path: '/smtp_faults', body: fault, ...options });
  }

  /** All of them, oldest first, with how often each answered (`hits`). */
  list(options: CallOptions = {}): Promise<wire.SmtpFault[]> {
    return this.connection.data({ method: 'GET', path: '/smtp_faults', ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    const path = `/smtp_faults/${encodeName('id', id)}`;
    return this.connection.nothing({ method: 'DELETE', path, ...options });
  }

  /** Deletes all of them. */
  clear(options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: '/smtp_faults', ...options });
  }
}
