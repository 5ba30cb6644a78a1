import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Fault, Step } from '../../features/faults/rules.ts';
import type { Clock } from '../../platform/core/clock.ts';
import { FaultAnswer, type SmtpParts } from './session.ts';
import { readUser, type SmtpUser } from './user.ts';

type Done = (fault?: Error | null) => void;

/** The parts of a connection in use here. */
export interface FaultyConnection {
  id: string;
  session: SMTPServerSession;
  /** While it is set, the silence is ours and not the client's. */
  _handlerPending: boolean;
  send(code: number, data: string | string[], context?: string | false): void;
  close(): void;
  /** Of a trap. */
  faults?: SessionFaults;
  /** Set while a fault delays its answer; forgets that answer. */
  cancelDelay?: (() => void) | undefined;
  /** The text of a fault's reply, which is sent as it is. */
  faultText?: string | undefined;
}

/**
 * Does what a trap's fault rules ask for (features/faults/rules.ts), at each step of its sessions: waits, then closes
 * the connection or passes a FaultAnswer on. Only the connections of a trap have one.
 */
export class SessionFaults {
  /** By session id. */
  private readonly connections = new Map<string, FaultyConnection>();

  constructor(
    private readonly services: SmtpParts['services'],
    /** Capture mode's account; null on a server, where AUTH says whose trap a session opens. */
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
   * Calls `done` with the error to send, or without one to go on; never once the connection is gone. `user` is who
   * signs in at this step.
   */
  meet(
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

  /** Whether no rule can match, so that a step costs nothing. A recipient's name needs none. */
  isIdle(session: SMTPServerSession): boolean {
    const accountNo = this.findAccount(readUser(session));
    return accountNo === null || !this.services.faultRules.has(accountNo);
  }

  /** Null outside a trap. */
  private findAccount(user: SmtpUser | null): number | null {
    return this.captureNo ?? user?.trap?.account_no ?? null;
  }

  /** At the end of the data; rejects with a FaultAnswer when the mail is not to be stored. */
  async meetDot(session: SMTPServerSession): Promise<void> {
    if (this.isIdle(session)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.meet(
      session,
      { stage: 'dot', ...readNames(session) },
      (fault) => (fault ? reject(fault) : resolve()),
      // Nobody hears it.
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

/** Runs `act` after the delay, or `onGone` when the connection ends before. */
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

/** Sender and recipients that were accepted. */
function readNames({ envelope: { mailFrom, rcptTo } }: SMTPServerSession): Omit<Step, 'stage'> {
  return { sender: mailFrom ? mailFrom.address : '', recipients: rcptTo.map(({ address }) => address) };
}

/** The library's handlers of the steps where a fault may come first. */
export type StepHandlers = Required<
  Pick<SMTPServerOptions, 'onConnect' | 'onAuth' | 'onMailFrom' | 'onRcptTo'>
>;

export function withFaults(handlers: StepHandlers, faults: SessionFaults): StepHandlers {
  return {
    // No fault applies to a connection that the gate refuses.
    onConnect: (session, done) =>
      handlers.onConnect(session, (refused) => {
        if (refused) done(refused);
        else faults.meet(session, { stage: 'connect' }, done);
      }),
    onAuth: (auth, session, done) =>
      handlers.onAuth(auth, session, (refused, response) => {
        if (refused || !response) done(refused, response);
        else
          faults.meet(
            session,
            { stage: 'auth' },
            (fault) => (fault ? done(fault) : done(null, response)),
            () => {},
            response.user as SmtpUser,
          );
      }),
    onMailFrom: (address, session, done) =>
      faults.meet(session, { stage: 'mail', sender: address.address }, (fault) =>
        fault ? done(fault) : handlers.onMailFrom(address, session, done),
      ),
    onRcptTo: (address, session, done) =>
      faults.meet(
        session,
        { stage: 'rcpt', sender: readNames(session).sender, recipients: [address.address] },
        (fault) => (fault ? done(fault) : handlers.onRcptTo(address, session, done)),
      ),
  };
}

/** The commands that no handler of the library decides on. */
const commandStages = { handler_EHLO: 'ehlo', handler_HELO: 'ehlo', handler_DATA: 'data' } as const;

type CommandHandler = (this: FaultyConnection, command: Buffer, done: () => void) => void;

/** Patches the library's prototype; once per process. */
export function installFaults(prototype: Record<keyof typeof commandStages, CommandHandler>): void {
  for (const name of Object.keys(commandStages) as (keyof typeof commandStages)[]) {
    const handler = prototype[name];
    const stage = commandStages[name];
    prototype[name] = function (this: FaultyConnection, command, done) {
      const { faults, session } = this;
      const isWhole = stage === 'data' ? () => session.envelope.rcptTo.length > 0 : () => hasName(command);
      if (!faults || faults.isIdle(session) || !isWhole()) {
        handler.call(this, command, done);
        return;
      }
      const step: Step = stage === 'data' ? { stage, ...readNames(session) } : { stage };
      faults.meet(session, step, (fault) => {
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

/** Whether HELO or EHLO is well-formed; another one gets the library's answer. */
function hasName(command: Buffer): boolean {
  return command.toString().trim().split(/\s+/).length === 2;
}
