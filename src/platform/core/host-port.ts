/** `127.0.0.1:8025`, `[::1]:8025`. */
export function formatHostPort({ host, port }: { host: string; port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
