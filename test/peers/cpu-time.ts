/**
 * Processor time of this process in milliseconds. Unlike wall time it does not depend on what else the machine does.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
