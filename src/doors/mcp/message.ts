/** Values nested more deeply would overflow the stack of the code that reads them. */
const LEVELS_MAX = 100;
/** A tool's arguments have about ten. Checking more takes time, during which every other request waits. */
const VALUES_MAX = 10_000;

/** A JSON-RPC message as it is received, before the library reads it. */
export interface RpcMessage {
  method?: unknown;
  id?: unknown;
  params?: unknown;
}

/** Thrown for a message that is not accepted, with its JSON-RPC 2.0 error code (section 5.1). */
export class RpcRefused extends Error {
  override name = 'RpcRefused';
  constructor(
    readonly code: -32700 | -32600,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Parses the body of a request, or throws RpcRefused. Batches are refused: the protocol has had none since 2025-06-18,
 * and one would count as a single request.
 */
export function readRpcMessage(body: Uint8Array): RpcMessage {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new RpcRefused(-32700, 'Parse error: the body is not valid JSON in UTF-8');
  }
  if (Array.isArray(value)) throw new RpcRefused(-32600, 'Invalid Request: send one message per request');
  if (typeof value !== 'object' || value === null) {
    throw new RpcRefused(-32600, 'Invalid Request: the body is not a JSON-RPC message');
  }
  refuseLarge(value);
  return value;
}

function refuseLarge(message: object): void {
  let values = 0;
  let level: object[] = [message];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > LEVELS_MAX) throw new RpcRefused(-32600, `Invalid Request: over ${LEVELS_MAX} levels deep`);
    const below: object[] = [];
    for (const container of level) {
      const inner: unknown[] = Array.isArray(container) ? container : Object.values(container);
      values += inner.length;
      if (values > VALUES_MAX) throw new RpcRefused(-32600, `Invalid Request: over ${VALUES_MAX} values`);
      for (const value of inner) if (typeof value === 'object' && value !== null) below.push(value);
    }
    level = below;
  }
}
