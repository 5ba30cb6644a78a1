/**
 * The control socket in the data folder, through which commands reach the server that has the store open. Its mode is
 * 0600, in a folder of mode 0700, so anyone who can open it is the operator.
 */
import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, type FailureDetails } from '../../platform/core/failure.ts';
import { readCode, readReason } from '../../platform/core/thrown.ts';
import type { ErrorCode } from '../../rules/errors.ts';
import { type Input, UsageError } from './command.ts';

const SOCKET = 'control.sock';
/** Enough for an import of one mail of the largest size, or of many small ones. */
const REQUEST_BYTES_MAX = 300 * 1024 * 1024;
/** A unix socket's address has room for 108 bytes (unix(7)). */
const PATH_BYTES_MAX = 100;

export interface ControlRequest {
  command: string;
  input: Input;
}

/** What a command returned, in the process that has the store open. */
export interface Ran {
  output: unknown;
  base_url: string;
  /** For standard error. */
  warning?: string;
}

export type ControlAnswer =
  | Ran
  | { failure: { code: ErrorCode; details: FailureDetails } }
  | { wrong_usage: string }
  | { refused: string };

/** Listens until stopped. The caller holds the folder's lock, so an existing socket belongs to a dead process. */
export function listenControl(
  dataDir: string,
  answer: (request: ControlRequest) => Promise<ControlAnswer>,
  answerTransfer: (request: Request) => Promise<Response | null>,
): { stop(): Promise<void> } {
  rmSync(join(dataDir, SOCKET), { force: true });
  const { path, close } = openSocketPath(dataDir);
  const server = Bun.serve({
    unix: path,
    maxRequestBodySize: REQUEST_BYTES_MAX,
    // Some commands take minutes (doctor). The types have this option only for TCP, but Bun 1.4 honours it here, and
    // without it cuts an answer off after 10 s, whatever server.timeout says.
    ...({ idleTimeout: 0 } as object),
    async fetch(request) {
      const transfer = await answerTransfer(request);
      if (transfer) return transfer;
      if (request.method === 'GET') return new Response('ok');
      return Response.json(await answer((await request.json()) as ControlRequest));
    },
    error: (fault) => Response.json({ refused: fault.message } satisfies ControlAnswer),
  });
  chmodSync(join(dataDir, SOCKET), 0o600);
  return {
    async stop() {
      // The caller's own deadline covers answers in progress.
      await server.stop();
      try {
        rmSync(join(dataDir, SOCKET), { force: true });
      } catch {
        // Its file system is read-only, or fails. The rest of the stop still has to run, and the next start removes it.
      }
      close();
    },
  };
}

/** Sends a command to the folder's server; null when none listens. Throws the Failure that the server answers with. */
export async function callControl(dataDir: string, request: ControlRequest): Promise<Ran | null> {
  const response = await askControl(dataDir, '/', Buffer.from(JSON.stringify(request)));
  return response && settle((await response.json()) as ControlAnswer);
}

/** Sends a request to the folder's server; null when none listens. */
export async function askControl(dataDir: string, path: string, body?: Uint8Array): Promise<Response | null> {
  let target: ReturnType<typeof openSocketPath>;
  try {
    target = openSocketPath(dataDir);
  } catch {
    // No folder, no server.
    return null;
  }
  try {
    const response = await fetch(`http://postern${path}`, {
      unix: target.path,
      method: body ? 'POST' : 'GET',
      body,
      // Some commands take minutes (doctor).
      timeout: false,
    } as BunFetchRequestInit);
    // Read to its end: the path may go through a descriptor that is closed below.
    return new Response(await response.arrayBuffer(), response);
  } catch (thrown) {
    if (/^(ENOENT|ENOTDIR|ECONNREFUSED|FailedToOpenSocket|ConnectionRefused)$/.test(readCode(thrown)))
      return null;
    if (readCode(thrown) === 'EACCES') {
      throw new Error(`The server of ${dataDir} belongs to another user; run this command as that user.`);
    }
    throw thrown;
  } finally {
    target.close();
  }
}

/** Encodes what a command threw, for the other end of the socket. */
export function encodeThrown(thrown: unknown): ControlAnswer {
  if (thrown instanceof UsageError) return { wrong_usage: thrown.message };
  if (!(thrown instanceof Failure)) return { refused: readReason(thrown) };
  const { code, message, fields, status, retryAfterS } = thrown;
  return { failure: { code, details: { text: message, fields, status, retryAfterS } } };
}

/** Returns the output of an answer, or throws its error. */
export function settle(answer: ControlAnswer): Ran {
  if ('failure' in answer) throw new Failure(answer.failure.code, answer.failure.details);
  if ('wrong_usage' in answer) throw new UsageError(answer.wrong_usage);
  if ('refused' in answer) throw new Error(answer.refused);
  return answer;
}

/** Returns a path that fits into a socket's address: one through the folder's descriptor if the real one is too long. */
function openSocketPath(dataDir: string): { path: string; close(): void } {
  const path = join(dataDir, SOCKET);
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX || process.platform !== 'linux') return { path, close() {} };
  const folder = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${folder}/${SOCKET}`, close: () => closeSync(folder) };
}
