/** From the start of the process to its ready line, and what it takes then. */
import { quantile, type Report, shown } from './figures.ts';
import { memoryOf, stop } from './processes.ts';
import { newDataDir, removeDataDir, serve } from './targets.ts';

export async function benchStart(report: Report, smoke: boolean): Promise<void> {
  report.section('Start: the process until its ready line');
  const data_dir = newDataDir();
  const times_ms: number[] = [];
  const times = smoke ? 2 : 15;
  let memory = { rss_mb: 0, pss_mb: 0, processes: 0 };
  for (let index = 0; index < times; index++) {
    const began = performance.now();
    const { child } = await serve(data_dir);
    times_ms.push(performance.now() - began);
    if (index === times - 1) {
      await Bun.sleep(2000);
      memory = memoryOf(child.pid);
    }
    await stop(child);
  }
  removeDataDir(data_dir);
  // The first one makes the store, the key and the certificate.
  report.line('first start of all', `${shown(times_ms[0]!)} ms`);
  const later = times_ms.slice(1);
  report.goal('ready (median)', quantile(later, 0.5), 'ms', { under: 200 });
  report.line('ready (slowest)', `${shown(quantile(later, 1))} ms`);
  report.line(`RSS 2 s later (${memory.processes} processes)`, `${shown(memory.rss_mb)} MB`);
  report.goal('PSS 2 s later', memory.pss_mb, 'MB', { under: 100 });
}
