const names: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENETUNREACH: 'no route',
  EHOSTUNREACH: 'no route',
  ETIMEDOUT: 'no answer in time',
};

/** Returns in words what a system's error code says of a connection. Undefined for another code. */
export function nameNetworkFault(code: string): string | undefined {
  return names[code];
}
