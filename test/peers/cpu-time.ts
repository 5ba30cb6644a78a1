/** Returns the processor time of this process in milliseconds, which, unlike wall time, other processes hardly change. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
