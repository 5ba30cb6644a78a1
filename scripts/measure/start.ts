/** Measures the time from the start of the process to its ready line, and its memory. */
import { quantile, type Report, shown } from './figures.ts';
import { measureMemory, stop } from './processes.ts';
import { makeDataDir, removeDataDir, serve } from './targets.ts';

export async function benchStart(report: Report, smoke: boolean): Promise<void> {
  report.section('Start: the process until its ready line');
  const dataDir = makeDataDir();
  const timesMs: number[] = [];
  const times = smoke ? 2 : 15;
  let memory = { rssMb: 0, pssMb: 0, processes: 0 };
  for (let index = 0; index < times; index++) {
    const began = performance.now();
    const { child } = await serve(dataDir);
    timesMs.push(performance.now() - began);
    if (index === times - 1) {
      await Bun.sleep(2000);
      memory = measureMemory(child.pid);
    }
    await stop(child);
  }
  removeDataDir(dataDir);
  // The first start creates the store, the key and the certificate.
  report.line('first start of all', `${shown(timesMs[0]!)} ms`);
  const later = timesMs.slice(1);
  report.goal('ready (median)', quantile(later, 0.5), 'ms', { under: 200 });
  report.line('ready (slowest)', `${shown(quantile(later, 1))} ms`);
  report.line(`RSS 2 s later (${memory.processes} processes)`, `${shown(memory.rssMb)} MB`);
  report.goal('PSS 2 s later', memory.pssMb, 'MB', { under: 100 });
}
