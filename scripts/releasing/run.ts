/** Runs a program and returns its standard output. Throws a ReleaseError if it fails. */
export function run(command: string[], options: { cwd?: string; env?: Record<string, string> } = {}): string {
  const env = { ...process.env, ...options.env };
  const done = Bun.spawnSync(command, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.exitCode === 0) return done.stdout.toString();
  throw new ReleaseError(`${command.join(' ')}\n${done.stdout}${done.stderr}`.trim());
}

/** A problem that the person who builds the release can fix. */
export class ReleaseError extends Error {
  override name = 'ReleaseError';
}
