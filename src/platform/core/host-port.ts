interface HostPort {
  host: string;
  port: number;
}

/** Formats an address as `127.0.0.1:8025` or `[::1]:8025`. */
export function formatHostPort({ host, port }: HostPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Formats a listener's address as in its setting: `tls://0.0.0.0:465`. */
export function formatListen(listen: HostPort & { tls: boolean }): string {
  return `${listen.tls ? 'tls://' : ''}${formatHostPort(listen)}`;
}

/** Returns where to connect to a listener: a listener on all interfaces is reached over the loopback. */
export function makeReachable({ host, port }: HostPort): HostPort {
  return { host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host, port };
}
