/** Measures what other clients notice while someone abuses the server: the same work without and with the abuse. */
import { benchHalfFinished } from './faults/half-finished.ts';
import { benchHeavyParsing } from './faults/heavy-parsing.ts';
import { benchSearchTurns } from './faults/search-turns.ts';
import type { Report } from './figures.ts';

interface Scenario {
  title: string;
  run(report: Report, smoke: boolean): Promise<void>;
}

const scenarios: readonly Scenario[] = [
  { title: 'heavy parsing: six connections send 24 MB of base64 line ends each', run: benchHeavyParsing },
  { title: 'half-finished mails: 480 connections with 5 MB each', run: benchHalfFinished },
  { title: 'searches: 16 at once of one account beside one of another', run: benchSearchTurns },
];

export async function benchFaults(report: Report, smoke: boolean): Promise<void> {
  for (const { title, run } of scenarios) {
    report.section(`Faults: ${title}`);
    await run(report, smoke);
  }
}
