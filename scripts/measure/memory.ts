/** Measures the memory that 100,000 stored messages leave in use. */
import { type Report, shown } from './figures.ts';
import { type MemoryMap, memoryPartNames, readMemoryMap } from './memory-map.ts';
import { flood, measureMemory } from './processes.ts';
import { removeDataDir, startPostern } from './targets.ts';

const IDLE_WITHIN_S = 180;

export async function benchMemory(report: Report, smoke: boolean): Promise<void> {
  const messages = smoke ? 500 : 100_000;
  report.section(`Memory: ${messages.toLocaleString('en-US')} messages of 5 KB`);
  await using target = await startPostern();
  const before = measureMemory(target.pid);
  const running = flood({
    port: target.smtpPort,
    recipient: target.recipient,
    mail: 'plain5k',
    connections: 50,
    reuse: true,
    pipelining: true,
    messages,
    seconds: 300,
    warmUpS: 0,
  });
  let most = before;
  let mostMap = readMemoryMap(target.pid);
  const watch = setInterval(() => {
    const now = measureMemory(target.pid);
    if (now.pssMb <= most.pssMb) return;
    most = now;
    mostMap = readMemoryMap(target.pid);
  }, 250);
  const { accepted } = await running;
  clearInterval(watch);
  const afterS = smoke ? 1 : await waitUntilIdle(target.pid, before.processes);
  const after = measureMemory(target.pid);
  report.line('accepted', String(accepted));
  report.line('RSS before, most, after', ...[before, most, after].map(({ rssMb }) => `${shown(rssMb)} MB`));
  report.line('PSS before, most, after', ...[before, most, after].map(({ pssMb }) => `${shown(pssMb)} MB`));
  report.line('idle again after', `${shown(afterS)} s`, `${after.processes} processes`);
  printMap(report, 'at work', mostMap);
  printMap(report, 'idle again', readMemoryMap(target.pid));
  report.goal('PSS at work', most.pssMb, 'MB', { under: 180 });
  report.goal('PSS idle again', after.pssMb, 'MB', { under: 80 });
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}

/** Waits until there are no more processes than before the mail, and memory has settled. */
async function waitUntilIdle(pid: number, processes: number): Promise<number> {
  const began = performance.now();
  const waitedS = () => (performance.now() - began) / 1000;
  let last = Number.POSITIVE_INFINITY;
  while (waitedS() < IDLE_WITHIN_S) {
    await Bun.sleep(10_000);
    const now = measureMemory(pid);
    if (now.processes <= processes && last - now.pssMb < 1) break;
    last = now.pssMb;
  }
  return waitedS();
}

function printMap(report: Report, when: string, map: MemoryMap): void {
  report.line(`${when}, MB`, 'main', 'children');
  for (const part of memoryPartNames) {
    const mb = [map.main, map.children].map((sums) => shown(sums.get(part) ?? 0));
    report.line(`  ${part}`, ...mb);
  }
}
