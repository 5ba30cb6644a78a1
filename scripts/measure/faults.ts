/** What others notice while somebody abuses the server: the same work without and with the abuse. */
import { benchHeavyParsing } from './faults/heavy-parsing.ts';
import type { Report } from './figures.ts';

interface Scenario {
  title: string;
  run(report: Report, smoke: boolean): Promise<void>;
}

const scenarios: readonly Scenario[] = [
  { title: 'heavy parsing: six connections send 24 MB of base64 line ends each', run: benchHeavyParsing },
];

export async function benchFaults(report: Report, smoke: boolean): Promise<void> {
  for (const { title, run } of scenarios) {
    report.section(`Faults: ${title}`);
    await run(report, smoke);
  }
}
