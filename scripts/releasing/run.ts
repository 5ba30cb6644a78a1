/** Runs a program to its end and returns what it printed; stops the release when it fails. */
export function run(command: string[], options: { cwd?: string; env?: Record<string, string> } = {}): string {
  const env = { ...process.env, ...options.env };
  const done = Bun.spawnSync(command, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.exitCode === 0) return done.stdout.toString();
  throw new ReleaseError(`${command.join(' ')}\n${done.stdout}${done.stderr}`.trim());
}

/** Something that the person who builds the release can fix. */
export class ReleaseError extends Error {
  override name = 'ReleaseError';
}
