import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Fault, Step } from '../../features/faults/rules.ts';
import type { Clock } from '../../platform/core/clock.ts';
import { FaultAnswer, type SmtpParts } from './session.ts';
import { readUser, type SmtpUser } from './user.ts';

type Done = (fault?: Error | null) => void;

/** The parts of a connection that faults use. */
export interface FaultyConnection {
  id: string;
  session: SMTPServerSession;
  /** Set while we owe a reply: the silence does not count against the client. */
  _handlerPending: boolean;
  send(code: number, data: string | string[], context?: string | false): void;
  close(): void;
  faults?: SessionFaults;
  /** Set while a fault delays its reply: cancels that reply. */
  cancelDelay?: (() => void) | undefined;
  /** The text of a fault's reply, which is sent unchanged. */
  faultText?: string | undefined;
}

/**
 * Does what a trap's fault rules ask for (features/faults/rules.ts), at each step of its sessions: waits, then closes
 * the connection or passes on a FaultAnswer. In sessions that open no trap it does nothing.
 */
export class SessionFaults {
  /** By session id. */
  private readonly connections = new Map<string, FaultyConnection>();

  constructor(
    private readonly services: SmtpParts['services'],
    /** Capture mode's account; null on a server, where AUTH decides which account's trap a session opens. */
    private readonly captureNo: number | null,
  ) {}

  open(connection: FaultyConnection): void {
    connection.faults = this;
    this.connections.set(connection.id, connection);
  }

  leave(sessionId: string): void {
    this.connections.delete(sessionId);
  }

  /**
   * Applies the rule for this step, if any. Calls `done` with the error to send, or with none to continue; calls
   * `onGone` instead if the connection has ended. `user` is the one signing in at AUTH, whom the session does not know
   * yet.
   */
  apply(
    session: SMTPServerSession,
    step: Step,
    done: Done,
    onGone: () => void = () => {},
    user = readUser(session),
  ): void {
    const accountNo = this.findAccount(user);
    const fault =
      accountNo !== null && this.services.faultRules.next(accountNo, step, this.services.clock.nowUs());
    if (!fault) {
      done();
      return;
    }
    this.report(session, step, fault, accountNo);
    const connection = this.connections.get(session.id);
    // A client may hang up right after its data.
    if (!connection) {
      onGone();
      return;
    }
    const act = () => {
      if (fault.drop) {
        connection.close();
        onGone();
      } else if (fault.reply) {
        connection.faultText = fault.reply.text;
        done(new FaultAnswer(fault.reply));
      } else done();
    };
    if (fault.delayMs === 0) {
      act();
      return;
    }
    delay(this.services.clock, connection, fault.delayMs, act, onGone);
  }

  /** Whether no rule can match. Not for RCPT, where a recipient's name can ask for a fault without any rule. */
  isIdle(session: SMTPServerSession): boolean {
    const accountNo = this.findAccount(readUser(session));
    return accountNo === null || !this.services.faultRules.has(accountNo);
  }

  /** Null outside a trap. */
  private findAccount(user: SmtpUser | null): number | null {
    return this.captureNo ?? user?.trap?.account_no ?? null;
  }

  /** Applies the rule for the end of the data. Rejects with a FaultAnswer if the mail must not be stored. */
  async applyAtDot(session: SMTPServerSession): Promise<void> {
    if (this.isIdle(session)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.apply(
      session,
      { stage: 'dot', ...readNames(session) },
      (fault) => (fault ? reject(fault) : resolve()),
      // Nobody receives this reply.
      () => reject(new FaultAnswer({ code: 421, text: '4.4.2 The connection ended' })),
    );
    await promise;
  }

  private report(
    session: SMTPServerSession,
    step: Step,
    { rule, reply, drop, delayMs }: Fault,
    accountNo: number,
  ): void {
    const { stage, sender = '', recipients = [] } = step;
    const { log, meters, diary } = this.services;
    meters.count('smtp_faults_total', { stage });
    log.info('SMTP fault on demand', {
      session: session.id,
      client: session.remoteAddress,
      stage,
      rule: rule?.id ?? 'the name of the recipient',
      delay_ms: delayMs,
      reply: reply ? `${reply.code} ${reply.text}` : drop ? 'dropped' : 'none',
    });
    if (!reply && !drop) return;
    const { code, text } = reply ?? { code: 0, text: 'The connection was closed without a reply' };
    for (const recipient of recipients.length > 0 ? recipients : ['']) {
      diary.note({
        reason: 'fault_on_demand',
        as: { code, text },
        account_no: accountNo,
        client_address: session.remoteAddress,
        helo: String(session.hostNameAppearsAs || ''),
        envelope_from: sender,
        recipient,
      });
    }
  }
}

/** Runs `act` after the delay, or `onGone` if the connection ends first. */
function delay(
  clock: Clock,
  connection: FaultyConnection,
  delayMs: number,
  act: () => void,
  onGone: () => void,
): void {
  // The library sets it for commands, but not before the greeting.
  const { _handlerPending } = connection;
  connection._handlerPending = true;
  const cancel = clock.after(delayMs, () => {
    connection.cancelDelay = undefined;
    connection._handlerPending = _handlerPending;
    act();
  });
  connection.cancelDelay = () => {
    connection.cancelDelay = undefined;
    cancel();
    onGone();
  };
}

/** Returns the accepted sender and recipients. */
function readNames({ envelope: { mailFrom, rcptTo } }: SMTPServerSession): Omit<Step, 'stage'> {
  return { sender: mailFrom ? mailFrom.address : '', recipients: rcptTo.map(({ address }) => address) };
}

/** The library's handlers for the steps where a fault may come first. */
export type StepHandlers = Required<
  Pick<SMTPServerOptions, 'onConnect' | 'onAuth' | 'onMailFrom' | 'onRcptTo'>
>;

export function withFaults(handlers: StepHandlers, faults: SessionFaults): StepHandlers {
  return {
    // No fault applies to a connection that the gate refuses.
    onConnect: (session, done) =>
      handlers.onConnect(session, (refused) => {
        if (refused) done(refused);
        else faults.apply(session, { stage: 'connect' }, done);
      }),
    onAuth: (auth, session, done) =>
      handlers.onAuth(auth, session, (refused, response) => {
        if (refused || !response) done(refused, response);
        else
          faults.apply(
            session,
            { stage: 'auth' },
            (fault) => (fault ? done(fault) : done(null, response)),
            () => {},
            response.user as SmtpUser,
          );
      }),
    onMailFrom: (address, session, done) =>
      faults.apply(session, { stage: 'mail', sender: address.address }, (fault) =>
        fault ? done(fault) : handlers.onMailFrom(address, session, done),
      ),
    onRcptTo: (address, session, done) =>
      faults.apply(
        session,
        { stage: 'rcpt', sender: readNames(session).sender, recipients: [address.address] },
        (fault) => (fault ? done(fault) : handlers.onRcptTo(address, session, done)),
      ),
  };
}

/** Commands that the library answers without calling a handler of ours. */
const commandStages = { handler_EHLO: 'ehlo', handler_HELO: 'ehlo', handler_DATA: 'data' } as const;

type CommandHandler = (this: FaultyConnection, command: Buffer, done: () => void) => void;

/** Patches the library's prototype, once per process. */
export function installFaults(prototype: Record<keyof typeof commandStages, CommandHandler>): void {
  for (const name of Object.keys(commandStages) as (keyof typeof commandStages)[]) {
    const handler = prototype[name];
    const stage = commandStages[name];
    prototype[name] = function (this: FaultyConnection, command, done) {
      const { faults, session } = this;
      const isValid = stage === 'data' ? () => session.envelope.rcptTo.length > 0 : () => hasName(command);
      if (!faults || faults.isIdle(session) || !isValid()) {
        handler.call(this, command, done);
        return;
      }
      const step: Step = stage === 'data' ? { stage, ...readNames(session) } : { stage };
      faults.apply(session, step, (fault) => {
        if (!fault) {
          handler.call(this, command, done);
          return;
        }
        this.send((fault as FaultAnswer).responseCode, fault.message, false);
        done();
      });
    };
  }
}

/** Whether HELO or EHLO has its one argument. Without it, the library refuses the command. */
function hasName(command: Buffer): boolean {
  return command.toString().trim().split(/\s+/).length === 2;
}
