import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { isStartTlsOffered, type Listen } from '../../platform/core/settings.ts';
import { describeThrown } from '../../platform/core/thrown.ts';
import type { Certificate } from '../../platform/net/certificate-pair.ts';
import { isIn, isLoopback } from '../../platform/net/client-ip.ts';
import { openDescriptors } from '../../platform/net/descriptors.ts';
import { type ReplyName, replies } from '../../rules/replies.ts';
import { acceptUser, findAuthState, WrongPasswords } from './auth.ts';
import { type Connection, installConnections, reply, sweepConnections } from './connections.ts';
import { SessionFaults, type StepHandlers, withFaults } from './faults.ts';
import { ConnectionGate, type GateVisitor } from './gate.ts';
import { Handshakes } from './handshakes.ts';
import type { MailData } from './mail-data.ts';
import {
  acceptMail,
  acceptRecipient,
  acceptSender,
  type FaultAnswer,
  noteRefusal,
  Refusal,
  type SmtpParts,
} from './session.ts';
import { UnspooledBudget } from './unspooled.ts';

/** Time for transfers in progress when the appliance stops (docs/operations.md, Stop: at most 10 s in all). */
const CLOSE_MS = 7_000;
const FULL_NOTICE =
  'SMTP clients are waiting: memory for unfinished mail is used up (POSTERN_SMTP_UNFINISHED_MAX_SIZE)';
const SWEEP_EVERY_MS = 1_000;
/**
 * SMTP's largest share of the file descriptors. HTTP has most (platform/net/connections.ts), and the store needs some.
 */
const SMTP_SHARE_MAX = 0.25;
const BACKLOG_MIN = 8;
const BACKLOG_MAX = 512;
const DISMISS_EVERY_MS = 50;

/** Bounds that all listeners share. */
interface Bounds {
  gate: ConnectionGate;
  handshakes: Handshakes;
  budget: UnspooledBudget;
  wrongPasswords: WrongPasswords;
}

export interface SmtpDoor {
  /** Where it listens, with actual ports. */
  readonly listening: readonly Listen[];
  setCertificate(certificate: Certificate): void;
  /** Accepts nothing new. Transfers in progress have a few seconds to finish before they get 421. */
  stop(): Promise<void>;
}

/** Opens every SMTP listener in the settings. Rejects when an address can't be opened. */
export async function openSmtp(
  door: SmtpParts,
  name: string,
  certificate: Certificate | null,
): Promise<SmtpDoor> {
  installConnections();
  const { settings, clock } = door.services;
  const descriptors = openDescriptors();
  const share = Math.floor(descriptors.max * SMTP_SHARE_MAX);
  const connections = Math.max(1, Math.min(settings.smtp_connections, share));
  const places = { connections, perIp: settings.smtp_connections_per_ip };
  const gate = new ConnectionGate({
    ...places,
    perIpPerMinute: settings.limits ? settings.smtp_connects_per_ip_per_minute : null,
  });
  const budget = new UnspooledBudget(settings.smtp_unfinished_max_size, () =>
    door.services.log.rarely('warn', FULL_NOTICE),
  );
  const wrongPasswords = new WrongPasswords(door.services);
  const bounds = { gate, handshakes: new Handshakes(places), budget, wrongPasswords };
  const servers: SMTPServer[] = [];
  door.services.meters.gauge('smtp_connections', () =>
    servers.reduce((sum, server) => sum + server.connections.size, 0),
  );
  const listening: Listen[] = [];
  try {
    for (const listen of settings.smtp_listen) {
      const server = makeServer(door, bounds, name, certificate, listen);
      servers.push(server);
      listening.push({ ...listen, port: await bind(server, listen) });
    }
    // Bun accepts everything in the backlog in one turn of the event loop, before the gate can close any.
    const backlog = Math.max(BACKLOG_MIN, Math.min(BACKLOG_MAX, Math.floor(share / 2)));
    for (const { port } of listening) descriptors.setBacklog(descriptors.findListening(port), port, backlog);
  } catch (fault) {
    for (const server of servers) server.close();
    throw fault;
  }
  let cancelSweep = clock.after(SWEEP_EVERY_MS, sweep);
  function sweep() {
    const speeds = { sessionS: settings.smtp_session_s, dataBytesPerS: settings.smtp_data_bytes_per_s };
    for (const server of servers) sweepConnections(listConnections(server), speeds, performance.now());
    cancelSweep = clock.after(SWEEP_EVERY_MS, sweep);
  }
  return {
    listening,
    setCertificate: (next) => {
      for (const server of servers) server.updateSecureContext({ ...next });
    },
    stop: async () => {
      cancelSweep();
      await Promise.all(servers.map(closeServer));
    },
  };
}

function makeServer(
  door: SmtpParts,
  { gate, handshakes, budget, wrongPasswords }: Bounds,
  name: string,
  certificate: Certificate | null,
  listen: Listen,
): SMTPServer {
  const { settings, log } = door.services;
  /** Sessions that have not reached the gate yet. */
  const visitors = new Map<string, GateVisitor>();
  const faults = new SessionFaults(door.services, door.capture?.account_no ?? null);
  const server = new SMTPServer({
    ...certificate,
    name,
    banner: 'Postern',
    secure: listen.tls,
    // RFC 8997. The library also accepts TLS 1.0. STARTTLS keeps that: without it, old servers would send in clear
    // text.
    ...(listen.tls && { minVersion: 'TLSv1.2' }),
    size: settings.smtp_max_size,
    rejectOversized: true,
    maxRecipients: settings.smtp_recipients_max,
    allowHalfOpen: true,
    // The gate and the handshakes count connections; this only bounds those that are still closing.
    maxClients: 2 * settings.smtp_connections,
    socketTimeout: settings.smtp_idle_s * 1000,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    // The library omits RFC 2034 by default.
    hideENHANCEDSTATUSCODES: false,
    // Unusual senders are accepted; recipients are checked against our inboxes.
    lenientAddressParsing: true,
    authOptional: true,
    allowInsecureAuth: true,
    // A server must see the key itself, which only PLAIN and LOGIN send.
    authMethods: door.capture ? ['PLAIN', 'LOGIN', 'CRAM-MD5', 'XOAUTH2'] : ['PLAIN', 'LOGIN'],
    disabledCommands: listDisabled(door),
    logger: false,
    ...makeHandlers(door, gate, visitors, faults, wrongPasswords),
  });
  handshakes.install(server);
  // Read by doors/smtp/connections.ts; the library keeps unknown options.
  Object.assign(server.options, {
    badCommandsMax: settings.smtp_bad_commands_max,
    budget,
    onOpen: (connection: Connection) => {
      visitors.set(connection.id, makeVisitor(door, connection));
      faults.open(connection);
    },
    onCommand: ({ id }: Connection) => gate.touch(id),
    authState: (connection: Connection) => findAuthState(door, connection),
    onRefusal: (name: ReplyName, { session, remoteAddress }: Connection) =>
      noteRefusal(door, name, { ...session, remoteAddress }),
  });
  server.on('error', (fault: Error & { remoteAddress?: string }) => {
    // A client hung up or a handshake failed: nothing for an operator to do.
    log.debug('SMTP connection ended with an error', { client: fault.remoteAddress, reason: fault.message });
  });
  return server;
}

function listDisabled({ services: { settings }, capture }: SmtpParts): string[] {
  return isStartTlsOffered(settings, capture !== null) ? ['WIZ', 'SHELL'] : ['WIZ', 'SHELL', 'STARTTLS'];
}

/** Whether an address may use the trap. A trap accepts anything, so only this machine and `trap_networks` may. */
export function isTrapClient({ services: { settings } }: SmtpParts, address: string): boolean {
  return isLoopback(address) || isIn(address, settings.trap_networks ?? []);
}

/** The library's handlers for each step of a session. */
function makeHandlers(
  door: SmtpParts,
  gate: ConnectionGate,
  visitors: Map<string, GateVisitor>,
  faults: SessionFaults,
  wrongPasswords: WrongPasswords,
): SMTPServerOptions {
  const { log, clock, meters } = door.services;
  const counted = (refusal: Refusal) => {
    meters.count('mails_refused_total', { reason: refusal.reply, code: refusal.responseCode });
    return refusal;
  };
  const answer = <Result>(
    run: () => Result,
    callback: (refused: Refusal | null, result?: Result) => void,
  ) => {
    let result: Result;
    try {
      result = run();
    } catch (thrown) {
      callback(counted(thrown instanceof Refusal ? thrown : toFaultRefusal(door, thrown)));
      return;
    }
    callback(null, result);
  };
  const steps: StepHandlers = {
    onAuth: (auth, session, callback) =>
      answer(() => ({ user: acceptUser(door, wrongPasswords, auth, session) }), callback),
    onConnect: (session, callback) => {
      const visitor = visitors.get(session.id)!;
      visitors.delete(session.id);
      const isForeign = door.capture !== null && !isTrapClient(door, session.remoteAddress);
      const refused = isForeign ? 'foreign_network' : gate.admit(visitor, clock.nowUs());
      if (refused)
        log.info('connection refused', { client: session.remoteAddress, reply: replies[refused].text });
      callback(refused ? counted(new Refusal(refused)) : null);
    },
    onMailFrom: (_address, session, callback) => answer(() => acceptSender(door, session), callback),
    onRcptTo: (address, session, callback) => answer(() => acceptRecipient(door, address, session), callback),
  };
  return {
    ...withFaults(steps, faults),
    onClose: ({ id }) => {
      visitors.delete(id);
      gate.leave(id);
      faults.leave(id);
    },
    onData: (stream, session, callback) => {
      acceptMail(door, stream as unknown as MailData, session, faults).then(
        (text) => callback(null, text),
        (thrown: Refusal | FaultAnswer) => callback(thrown instanceof Refusal ? counted(thrown) : thrown),
      );
    },
  };
}

function toFaultRefusal(door: SmtpParts, thrown: unknown): Refusal {
  door.services.log.error('an SMTP command was answered 451', {
    fault: describeThrown(thrown),
  });
  return new Refusal('fault');
}

function bind(server: SMTPServer, listen: Listen): Promise<number> {
  return new Promise((resolve, reject) => {
    const net = server.server;
    net.once('error', reject);
    server.listen(listen.port, listen.host, () => {
      net.removeListener('error', reject);
      resolve((net.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    // Again and again, because busy clients get their 421 only once they are done.
    const dismiss = () => {
      for (const connection of listConnections(server)) {
        if (!isBusy(connection) || connection.cancelDelay) reply(connection, 'shutting_down');
      }
    };
    const interval = setInterval(dismiss, DISMISS_EVERY_MS);
    server.close(() => {
      clearInterval(interval);
      resolve();
    });
    dismiss();
  });
}

function makeVisitor({ services }: SmtpParts, connection: Connection): GateVisitor {
  const { id, remoteAddress: address, session } = connection;
  return {
    id,
    address,
    stake: () => (isBusy(connection) ? 'mail' : session.envelope?.mailFrom ? 'envelope' : 'nothing'),
    dismiss: () => {
      services.log.info('idle connection closed to make room', { client: address });
      reply(connection, 'made_room');
    },
  };
}

/** Whether a connection is in a transfer, or waiting for its reply. */
function isBusy(connection: Connection): boolean {
  const parser = connection._parser;
  return Boolean(parser && (parser._dataMode || connection._dataStream));
}

function listConnections(server: SMTPServer): Set<Connection> {
  return server.connections as unknown as Set<Connection>;
}
