/** Processor time of this process in milliseconds: unlike the wall clock it does not grow with what else a machine does. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
