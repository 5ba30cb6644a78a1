/**
 * Measures the dashboard and Mailpit's, in Debian's Chromium, with the 42 mails of scripts/beside. The two take turns, so
 * that other work of the machine slows both.
 */
import { haveBrowser } from '../../test/peers/browser.ts';
import { sendSamples } from '../beside/samples.ts';
import { measureArrival } from './dashboard/arrival.ts';
import { type Load, measureLoad } from './dashboard/load.ts';
import { measureOpening, type Opening } from './dashboard/opening.ts';
import { closeStage, isOurs, openStage, type Product, type Stage } from './dashboard/products.ts';
import { measureScrolling, type Scrolling } from './dashboard/scrolling.ts';
import { median, quantile, type Report, shown } from './figures.ts';

const ROWS = 100_000;
/** A frame is late when the screen, at 60 Hz, shows the one before it twice. */
const LATE_MS = 20;

export async function benchDashboard(report: Report, smoke: boolean): Promise<void> {
  report.section('Dashboard, in a browser on the same cores');
  if (!haveBrowser()) return report.line('left out', 'chromium is not installed');
  // Building Mailpit's pages takes minutes.
  const stage = await openStage(!smoke);
  try {
    for (const { target } of stage.products) await sendSamples(target.smtpPort);
    await benchLoad(report, stage, smoke ? 1 : 7);
    await benchOpening(report, stage, smoke ? 1 : 3, smoke ? 4 : 42);
    // Comes last, because it adds mails to the list.
    await benchArrival(report, stage, smoke ? 1 : 5, smoke ? 3 : 12);
    await benchScrolling(report, stage, smoke ? 1 : 3, smoke ? 20 : 300);
  } finally {
    await closeStage(stage);
  }
}

/** Runs each product in each turn, and returns the results by product. */
async function takeTurns<Result>(
  { products }: Stage,
  turns: number,
  run: (product: Product, turn: number) => Promise<Result>,
): Promise<Map<Product, Result[]>> {
  const results = new Map<Product, Result[]>(products.map((product) => [product, []]));
  for (let turn = 0; turn < turns; turn++) {
    for (const product of products) results.get(product)!.push(await run(product, turn));
  }
  return results;
}

async function benchLoad(report: Report, stage: Stage, turns: number): Promise<void> {
  const loads = await takeTurns(stage, turns, (product) => measureLoad(stage.browser, product));
  for (const [{ name }, all] of loads) {
    const middle = (figure: (load: Load) => number) => median(all.map(figure));
    const [first] = all;
    const kilobytes = middle(({ pageBytes }) => pageBytes) / 1000;
    const paintMs = middle(({ firstPaintMs }) => firstPaintMs);
    printFigure(report, name, `first load, ${first?.coding}`, kilobytes, 'KB', { under: 60 });
    printFigure(report, name, 'first paint, cold, median', paintMs, 'ms', { under: 500 });
    const later = middle(({ laterBytes }) => laterBytes) / 1000;
    report.line(`${name}: loaded after the list`, `${shown(later)} KB`);
    report.line(`${name}: list on the screen, cold`, `${shown(middle(({ listMs }) => listMs))} ms`);
    report.line(`${name}: CPU of the page until then`, `${shown(middle(({ cpuMs }) => cpuMs))} ms`);
    const data = middle(({ dataBytes }) => dataBytes) / 1000;
    report.line(`${name}: requests; data`, String(middle(({ requests }) => requests)), `${shown(data)} KB`);
  }
}

/** Reports a figure of a product. Only this build has goals, not an earlier one, and not Mailpit. */
function printFigure(
  report: Report,
  name: string,
  what: string,
  value: number,
  unit: string,
  goal: Parameters<Report['goal']>[3],
): void {
  if (name === 'Postern') report.goal(`${name}: ${what}`, value, unit, goal);
  else report.line(`${name}: ${what}`, `${shown(value)} ${unit}`.trimEnd());
}

function printTimes(report: Report, name: string, what: string, timesMs: number[], p99Ms: number): void {
  report.line(`${name}: ${what}, p50`, `${shown(quantile(timesMs, 0.5))} ms`, `${timesMs.length} times`);
  printFigure(report, name, `${what}, p99`, quantile(timesMs, 0.99), 'ms', { under: p99Ms });
}

async function benchOpening(report: Report, stage: Stage, turns: number, mails: number): Promise<void> {
  const openings = await takeTurns(stage, turns, (product) => measureOpening(stage.browser, product, mails));
  for (const [{ name }, all] of openings) {
    const times = (figure: (opening: Opening) => number[]) => all.flatMap(figure);
    printTimes(
      report,
      name,
      'opening a mail',
      times(({ textMs, htmlMs }) => [...textMs, ...htmlMs]),
      50,
    );
    const text = shown(median(times(({ textMs }) => textMs)));
    const html = shown(median(times(({ htmlMs }) => htmlMs)));
    report.line(`${name}: of them text; HTML, p50`, `${text} ms`, `${html} ms`);
    report.line(`${name}: CPU of the page, a mail`, `${shown(median(all.map(({ cpuMs }) => cpuMs)))} ms`);
    report.line(`${name}: heap after opening all`, `${shown(median(all.map(({ heapMb }) => heapMb)))} MB`);
  }
}

async function benchArrival(report: Report, stage: Stage, turns: number, mails: number): Promise<void> {
  const arrivals = await takeTurns(stage, turns, (product, turn) =>
    measureArrival(stage.browser, product, turn, mails),
  );
  for (const [{ name }, all] of arrivals) {
    printTimes(
      report,
      name,
      '250 to screen',
      all.flatMap(({ timesMs }) => timesMs),
      100,
    );
    report.line(`${name}: CPU of the page, a mail`, `${shown(median(all.map(({ cpuMs }) => cpuMs)))} ms`);
  }
}

async function benchScrolling(report: Report, stage: Stage, turns: number, frames: number): Promise<void> {
  const ours = { ...stage, products: stage.products.filter(isOurs) };
  const scrollings = await takeTurns(ours, turns, (product) =>
    measureScrolling(stage.browser, product, ROWS, frames),
  );
  for (const [{ name }, all] of scrollings) {
    const middle = (figure: (scrolling: Scrolling) => number) => median(all.map(figure));
    const frameMs = all.flatMap((scrolling) => scrolling.frameMs);
    const late = frameMs.filter((ms) => ms > LATE_MS).length;
    const seconds = frameMs.reduce((sum, ms) => sum + ms, 0) / 1000;
    const rows = `${ROWS.toLocaleString('en-US')} rows`;
    const what = `${name}: ${rows}`;
    // The frames of a screen at 60 Hz are not exactly 1/60 s apart.
    printFigure(report, name, `${rows}, frames a second`, frameMs.length / seconds, '', { atLeast: 58 });
    report.line(
      `${what}, late frames; longest`,
      `${late} of ${frameMs.length}`,
      `${shown(quantile(frameMs, 1))} ms`,
    );
    report.line(`${what}, CPU a frame`, `${shown(middle(({ cpu }) => cpu.all))} ms`);
    const parts = [
      middle(({ cpu }) => cpu.script),
      middle(({ cpu }) => cpu.style),
      middle(({ cpu }) => cpu.layout),
    ];
    report.line(`${what}, of it script, style, layout`, `${parts.map(shown).join(', ')} ms`);
    const inDocument = String(middle(({ rowsInDocument }) => rowsInDocument));
    report.line(`${what}, in the document; heap`, inDocument, `${shown(middle(({ heapMb }) => heapMb))} MB`);
  }
  if (ours.products.length < stage.products.length)
    report.line('Mailpit: 100,000 rows', 'its list has pages, of 50 rows');
}
