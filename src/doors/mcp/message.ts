/** A JSON-RPC message as it is received, before the library reads it. */

/** Deeper values would overflow the stack of the code that reads them. */
const LEVELS_MAX = 100;
/** A tool's arguments have about ten; more only cost time, while every other request waits. */
const VALUES_MAX = 10_000;

export interface RpcMessage {
  method?: unknown;
  id?: unknown;
  params?: unknown;
}

/** Why a message is not accepted, in the terms of JSON-RPC 2.0 (5.1). */
export class RpcRefused extends Error {
  override name = 'RpcRefused';
  constructor(
    readonly code: -32700 | -32600,
    message: string,
  ) {
    super(message);
  }
}

/** Throws RpcRefused. One message: protocol 2025-06-18 has no batches, and a batch would count as one request. */
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
