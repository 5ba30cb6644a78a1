/** Draws line charts as SVG that can be read on a light and on a dark page, and as a diff. */

export interface Chart {
  title: string;
  xTitle: string;
  /** The name of the axis, with its unit. */
  yTitle: string;
  /** The values on the axis, at equal distances whatever they are. */
  xLabels: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
  /** A dashed line with its meaning. */
  goal?: { value: number; text: string };
}

const WIDTH = 760;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 140;
const TOP = 50;
const BOTTOM = 60;
const Y_STEPS = 5;
/** The least distance between the names at the ends of the lines. */
const NAME_GAP = 16;

/** Colours that stand out on white and on black, even for most people with impaired colour vision. */
const COLOURS = ['#2f81f7', '#bf8700', '#e5534b', '#2da44e'];

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #424a53 }
  .title { font-size: 16px; font-weight: 600 }
  .grid { stroke: #8c959f; stroke-opacity: .35 }
  .goal { stroke: #6e7781; stroke-width: 1.5; stroke-dasharray: 6 4 }
  .line { fill: none; stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } .goal { stroke: #9ea7b3 } }
`;

export function drawChart(chart: Chart): string {
  const highest = Math.max(...chart.series.flatMap(({ values }) => values), chart.goal?.value ?? 0);
  const step = roundUp(highest / Y_STEPS);
  const x = (at: number) => LEFT + (at * (WIDTH - LEFT - RIGHT)) / (chart.xLabels.length - 1);
  const y = (value: number) => HEIGHT - BOTTOM - (value * (HEIGHT - TOP - BOTTOM)) / (step * Y_STEPS);
  const size = `width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escapeXml(chart.title)}">`,
    `<style>${STYLE}</style>`,
    drawText(LEFT, 24, chart.title, 'start', 'class="title"'),
    ...drawAxes(chart, step, x, y),
    ...(chart.goal ? drawGoal(chart.goal, y) : []),
    ...chart.series.map(({ values }, at) => drawLine(values, COLOURS[at % COLOURS.length]!, x, y)),
    ...drawNames(chart, y),
    '</svg>',
    '',
  ].join('\n');
}

type Scale = (value: number) => number;

function drawAxes({ xLabels, xTitle, yTitle }: Chart, step: number, x: Scale, y: Scale): string[] {
  const middle = (TOP + HEIGHT - BOTTOM) / 2;
  const rows = Array.from({ length: Y_STEPS + 1 }, (_, at) => at * step);
  return [
    ...rows.map((value) => drawRule(y(value), 'grid')),
    ...rows.map((value) => drawText(LEFT - 8, y(value) + 4, value.toLocaleString('en-US'), 'end')),
    ...xLabels.map((label, at) => drawText(x(at), HEIGHT - BOTTOM + 20, label, 'middle')),
    drawText((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, xTitle, 'middle'),
    drawText(16, middle, yTitle, 'middle', `transform="rotate(-90 16 ${middle})"`),
  ];
}

function drawGoal({ value, text }: NonNullable<Chart['goal']>, y: Scale): string[] {
  return [drawRule(y(value), 'goal'), drawText(LEFT + 6, y(value) - 6, text, 'start')];
}

function drawRule(y: number, kind: string): string {
  return `<line class="${kind}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${fix(y)}" y2="${fix(y)}"/>`;
}

function drawLine(values: readonly number[], colour: string, x: Scale, y: Scale): string {
  const points = values.map((value, at) => `${fix(x(at))},${fix(y(value))}`);
  const dots = points.map((point) => {
    const [cx, cy] = point.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`;
  });
  return `<polyline class="line" stroke="${colour}" points="${points.join(' ')}"/>${dots.join('')}`;
}

/** Places the names beside the last points, moved apart where they would overlap. */
function drawNames({ series }: Chart, y: Scale): string[] {
  const names = series.map(({ name, values }, at) => ({ name, at, top: y(values.at(-1)!) }));
  names.sort((one, other) => one.top - other.top);
  return names.map((one, at) => {
    const above = names[at - 1];
    one.top = Math.max(one.top, (above?.top ?? 0) + NAME_GAP);
    const colour = COLOURS[one.at % COLOURS.length]!;
    const dot = `<circle cx="${WIDTH - RIGHT + 16}" cy="${fix(one.top)}" r="4" fill="${colour}"/>`;
    return dot + drawText(WIDTH - RIGHT + 26, one.top + 4, one.name, 'start');
  });
}

function drawText(x: number, y: number, text: string, anchor: string, more = ''): string {
  return `<text x="${fix(x)}" y="${fix(y)}" text-anchor="${anchor}" ${more}>${escapeXml(text)}</text>`;
}

const fix = (value: number) => String(Math.round(value * 10) / 10);

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((times) => times * power).find((one) => one >= value)!;
}
