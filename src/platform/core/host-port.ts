/** Formats an address as `127.0.0.1:8025` or `[::1]:8025`. */
export function formatHostPort({ host, port }: { host: string; port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
