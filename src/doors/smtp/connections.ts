import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { type ReplyName, replies } from '../../rules/replies.ts';
import { traps } from '../../rules/traps.ts';
import type { AuthState } from './auth.ts';
import { installDataFeed } from './data-feed.ts';
import { type FaultyConnection, installFaults } from './faults.ts';
import type { MailData } from './mail-data.ts';
import { installPaths } from './paths.ts';
import type { Tally, UnspooledBudget } from './unspooled.ts';

/*
 * Changes to smtp-server's connections: no 100 ms wait before the greeting, replies with our enhanced codes, an end
 * after too many bad commands, and bounds on a session's time, a transfer's speed and unfinished mail in memory.
 * These use private parts: the version is pinned, and test/doors/smtp covers each.
 */

/** The private parts of SMTPConnection that we use, and what we add. */
export interface Connection extends FaultyConnection {
  name: string;
  remoteAddress: string;
  secure: boolean;
  /** Set while the next line continues the last command. */
  _nextHandler: unknown;
  _server: {
    options: {
      badCommandsMax: number;
      budget: UnspooledBudget;
      /** Called for each connection, before `onConnect`. */
      onOpen(connection: Connection): void;
      onCommand(connection: Connection): void;
      authState(connection: Connection): AuthState;
      /** Called for refusals that no handler throws. */
      onRefusal(name: ReplyName, connection: Connection): void;
    };
    connections: Set<Connection>;
  };
  /** Falsy between mails. */
  _dataStream?: Pick<MailData, 'bareDotLine' | 'cutOffBy'>;
  _parser:
    | { _dataMode: boolean; dataBytes: number; tally?: Tally; once(event: 'finish', then: () => void): void }
    | false;
  _socket: { _handle?: SocketHandle | null; once(event: 'end', then: () => void): void };
  _createParser(): Exclude<Connection['_parser'], false>;
  _onClose(): void;
  _onCommand(command: Buffer, done?: () => void): void;
  _isSupported(command: string): boolean;
  _setListeners(then: () => void): void;
  connectionReady(): void;
  // From here on, our own.
  commands?: number;
  badCommands?: number;
  /** Whether the current command is EHLO or AUTH. */
  isAuthAsked?: boolean;
  wrongPasswords?: number;
  /** Whether one of our replies has ended it. */
  isEnded?: boolean;
  sinceMs?: number;
  /** The transfer that the sweeps see, with the time of the first (`sinceMs`) and of the last (`sweptMs`). */
  transfer?: { stream: unknown; sinceMs: number; sweptMs: number };
  tally?: Tally;
  /** Set while we don't read from the socket. */
  heldHandle?: SocketHandle | null;
}

/** Bun's own socket, below node:net's. */
interface SocketHandle {
  pause(): void;
  resume(): void;
}

type Send = Connection['send'];

/**
 * Commands of one connection that are processed in a turn of the event loop, if it sends them ahead. The library processes a
 * hundred: two hundred connections that pipelined EHLO kept everybody else waiting for seconds.
 */
const COMMANDS_PER_TURN = 16;

let installed = false;

/** Patches the library's prototypes, once per process. */
export function installConnections(): void {
  if (installed) return;
  installed = true;
  installDataFeed();
  installPaths();
  const prototype = SMTPConnection.prototype as unknown as Connection & { init(): void };
  prototype.init = function (this: Connection) {
    this.sinceMs = performance.now();
    replyAfterEnd(this);
    this._setListeners(() => {
      this._server.options.onOpen(this);
      this.connectionReady();
    });
  };
  installTallies(prototype);
  installFaults(prototype as unknown as Parameters<typeof installFaults>[0]);
  const { _onCommand, _isSupported } = prototype;
  prototype._onCommand = function (this: Connection, command, done) {
    this._server.options.onCommand(this);
    this.isAuthAsked = beginsWith(command, 'ea') && EHLO_OR_AUTH.test(command.toString('latin1', 0, 5));
    const refused = this.isAuthAsked ? findAuthRefusal(this, command) : findStartTlsRefusal(this, command);
    this.commands = (this.commands ?? 0) + 1;
    const next = done && this.commands % COMMANDS_PER_TURN === 0 ? () => void setImmediate(done) : done;
    if (refused === null) {
      _onCommand.call(this, command, next);
      return;
    }
    reply(this, refused);
    if (refused === 'starttls_off') this._server.options.onRefusal(refused, this);
    next?.();
  };
  // The library offers what it supports. It asks about AUTH at every command, and the answer costs a read of the store.
  prototype._isSupported = function (this: Connection, command) {
    if (command !== 'AUTH') return _isSupported.call(this, command);
    return this.isAuthAsked === true && this._server.options.authState(this) === 'open';
  };
  const send: Send = prototype.send;
  prototype.send = function (this: Connection, code, data, context) {
    if (this.faultText !== undefined && data === this.faultText) {
      this.faultText = undefined;
      // A fault on demand is no mistake of the client, so it counts towards no bound.
      send.call(this, code, data, false);
      return;
    }
    // Our texts include their enhanced code; the library's table would add another.
    const ours = typeof data === 'string' && /^[245]\.\d+\.\d+ /.test(data);
    send.call(this, code, data, ours ? false : context);
    reportRefusal(this, code, ours ? data : null);
    if (isBadCommand(code)) countBadCommand(this);
    if (code === 535) countWrongPassword(this);
  };
}

/**
 * Lets a client that has closed only its side, as `busybox nc` does after its input, read the replies to all it sent. The
 * library drops replies to a socket that is not open both ways. A client that does so while a fault delays a reply has given
 * up: nothing more is accepted from it.
 */
function replyAfterEnd(connection: Connection): void {
  const { _socket: socket } = connection;
  socket.once('end', () => {
    if (connection.cancelDelay) connection.close();
    else Object.defineProperty(socket, 'readyState', { value: 'open' });
  });
}

/** Counts each connection's bytes in memory, and stops reading from it while there are too many. */
function installTallies(prototype: Connection): void {
  const { _createParser, close, _onClose } = prototype;
  // Called by the constructor, and again for the parser after STARTTLS.
  prototype._createParser = function (this: Connection) {
    const parser = _createParser.call(this);
    this.tally ??= this._server.options.budget.open({
      hold: () => holdSocket(this),
      release: () => releaseSocket(this),
    });
    parser.tally = this.tally;
    // Every command has its reply now, so a client that closed only its side has read them all when we close ours.
    parser.once('finish', () => {
      endBareDot(this);
      this.close();
    });
    return parser;
  };
  // The library keeps reading to notice that the client hangs up, and discards the data.
  prototype.close = function (this: Connection) {
    this.cancelDelay?.();
    this.tally?.close();
    close.call(this);
  };
  prototype._onClose = function (this: Connection) {
    this.cancelDelay?.();
    this.tally?.close();
    _onClose.call(this);
  };
}

/**
 * Stops reading at the system's socket. `socket.pause()` is not enough: node:net's stream reads until its buffer is
 * full, which on Bun is half a megabyte, and calls the handle's `resume` for that.
 */
function holdSocket(connection: Connection): void {
  const handle = connection._socket?._handle;
  if (!handle) return;
  connection.heldHandle = handle;
  handle.pause();
  handle.resume = () => {};
}

function releaseSocket(connection: Connection): void {
  const { heldHandle } = connection;
  if (!heldHandle) return;
  connection.heldHandle = null;
  // Reveals the class's own method.
  delete (heldHandle as Partial<SocketHandle>).resume;
  heldHandle.resume();
  // STARTTLS may have replaced the handle in the meantime.
  const handle = connection._socket?._handle;
  if (handle && handle !== heldHandle) handle.resume();
}

/** Replies that end a connection, by text. A stop and making room are left out: they lose no mail. */
const endings = new Map<string, ReplyName>(
  (Object.keys(replies) as ReplyName[])
    .filter((name) => replies[name].code === 421 && !['shutting_down', 'made_room'].includes(name))
    .map((name) => [replies[name].text, name]),
);

/** Reports refusals that no handler throws: a SIZE too large at MAIL, too many recipients, an end of the connection. */
function reportRefusal(connection: Connection, code: number, ours: string | null): void {
  const { onRefusal } = connection._server.options;
  if (ours !== null) {
    const ending = code === 421 && endings.get(ours);
    // The library repeats it as the answer to the mail that it cut off.
    if (!ending || connection.isEnded) return;
    connection.isEnded = true;
    // The mail's handler reports it, with the recipients.
    if (connection._dataStream) connection._dataStream.cutOffBy = ending;
    else onRefusal(ending, connection);
    // Only at MAIL: at the end of DATA, the handler has already reported it.
  } else if (code === 552 && connection.session.envelope.rcptTo.length === 0)
    onRefusal('too_large', connection);
  else if (code === 452) onRefusal('too_many_recipients', connection);
}

export function reply(connection: Connection, name: ReplyName): void {
  connection.send(replies[name].code, replies[name].text, false);
}

/** Syntax and sequence errors, and unknown recipients. A mail refused after its data does not count. */
function isBadCommand(code: number): boolean {
  return (code >= 500 && code <= 504) || code === 530 || code === 535 || code === 550;
}

const EHLO_OR_AUTH = /^(?:ehlo|auth)\b/i;

/** Whether a command begins with one of these letters: a cheap first check. */
function beginsWith(command: Buffer, letters: string): boolean {
  return command.length > 0 && letters.includes(String.fromCharCode(command[0]! | 0x20));
}

/** Returns why AUTH is refused now (RFC 4954, section 4); null for other commands, and where the library answers. */
function findAuthRefusal(connection: Connection, command: Buffer): ReplyName | null {
  if (connection._nextHandler || beginsWith(command, 'e')) return null;
  const state = connection._server.options.authState(connection);
  if (state === 'in_clear') return 'auth_in_clear';
  return state === 'open' && connection.session.envelope?.mailFrom ? 'auth_in_mail' : null;
}

/**
 * Some mailers, such as PHPMailer and Mutt, ask for STARTTLS without looking whether it is offered, and show their user
 * only the reply. The library's is "command not recognized".
 */
function findStartTlsRefusal(connection: Connection, command: Buffer): ReplyName | null {
  if (!beginsWith(command, 's') || !/^starttls\s*$/i.test(command.toString('latin1'))) return null;
  const isAnswered = connection._nextHandler || connection.secure || connection._isSupported('STARTTLS');
  return isAnswered ? null : 'starttls_off';
}

function countWrongPassword(connection: Connection): void {
  connection.wrongPasswords = (connection.wrongPasswords ?? 0) + 1;
  if (connection.wrongPasswords === traps.wrongPasswordsMax) reply(connection, 'too_many_wrong_keys');
}

function countBadCommand(connection: Connection): void {
  connection.badCommands = (connection.badCommands ?? 0) + 1;
  if (connection.badCommands === connection._server.options.badCommandsMax)
    reply(connection, 'too_many_faults');
}

/**
 * Ends a transfer with a lone dot on a line that begins or ends with a bare LF or CR, and returns whether it did: its client
 * takes that for the end of the data, and waits for the reply. The session can't go on, because what follows may be data.
 */
function endBareDot(connection: Connection): boolean {
  const { _parser: parser, _dataStream: stream } = connection;
  const inTransfer = parser ? parser._dataMode : false;
  if (!inTransfer || !stream?.bareDotLine) return false;
  reply(connection, 'bare_dot_line');
  connection.close();
  return true;
}

/** How long a transfer may run before its speed is checked. */
const SPEED_GRACE_MS = 10_000;

/** Ends sessions that last too long and transfers that are too slow. Call it about once a second. */
export function sweepConnections(
  connections: Iterable<Connection>,
  bounds: { sessionS: number; dataBytesPerS: number },
  nowMs: number,
): void {
  for (const connection of connections) {
    const parser = connection._parser;
    const stream = connection._dataStream;
    const inTransfer = parser ? parser._dataMode : false;
    // The whole mail is here and being stored: after a 421 the sender would send it again.
    if (stream && !inTransfer) continue;
    if (nowMs - (connection.sinceMs ?? nowMs) > bounds.sessionS * 1000) {
      reply(connection, 'session_too_long');
    } else if (parser && inTransfer) {
      // Each mail is timed on its own, even when no sweep happens between two.
      const known = connection.transfer?.stream === stream ? connection.transfer : null;
      const transfer = known ?? { stream, sinceMs: nowMs, sweptMs: nowMs };
      // While we don't read, the client is not slow.
      if (connection.tally?.isHeld) transfer.sinceMs += nowMs - transfer.sweptMs;
      transfer.sweptMs = nowMs;
      connection.transfer = transfer;
      const transferMs = nowMs - transfer.sinceMs;
      const minBytes = (bounds.dataBytesPerS * transferMs) / 1000;
      if (transferMs > SPEED_GRACE_MS && parser.dataBytes < minBytes && !endBareDot(connection))
        reply(connection, 'too_slow');
    }
  }
}
