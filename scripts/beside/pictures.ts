/** Draws pictures and documents for the mails, so that nothing is copied and no binary files are in the repository. */
import { deflateSync } from 'node:zlib';
import { joinPng } from './palette-png.ts';

type Colour = readonly [red: number, green: number, blue: number];
type Paint = (x: number, y: number) => Colour;

const mix = (from: Colour, to: Colour, at: number): Colour => [
  from[0] + (to[0] - from[0]) * at,
  from[1] + (to[1] - from[1]) * at,
  from[2] + (to[2] - from[2]) * at,
];

/** Draws a PNG of this size. `paint` gets positions from 0 to 1. */
function drawPng(width: number, height: number, paint: Paint): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) for (const part of paint(x / width, y / height)) rows[at++] = part;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return joinPng([
    ['IHDR', head],
    ['IDAT', deflateSync(rows)],
    ['IEND', Buffer.alloc(0)],
  ]);
}

/** Draws hills under a sky with a sun. */
export function drawHills(width: number, height: number, sky: Colour, ground: Colour, phase = 0): Buffer {
  const white: Colour = [255, 244, 214];
  return drawPng(width, height, (x, y) => {
    for (let layer = 3; layer >= 1; layer--) {
      const crest = 0.42 + layer * 0.13 + 0.08 * Math.sin(x * (3 + layer * 2.3) + phase + layer * 1.7);
      if (y > crest)
        return mix(mix(ground, sky, 0.75 - layer * 0.25), ground, Math.min(1, (y - crest) * 1.2));
    }
    const far = Math.hypot((x - 0.72) * (width / height), y - 0.28);
    return far < 0.11 ? white : mix(sky, white, Math.max(0, 0.75 - far * 0.9) * 0.8 + y * 0.25);
  });
}

/** Draws a bar chart. */
export function drawBars(width: number, height: number, bars: readonly number[], colour: Colour): Buffer {
  const paper: Colour = [255, 255, 255];
  return drawPng(width, height, (x, y) => {
    const at = Math.min(bars.length - 1, Math.floor(x * bars.length));
    const inside = x * bars.length - at;
    if (y > 0.97) return [200, 205, 210];
    if (inside > 0.18 && inside < 0.82 && y > 0.95 - bars[at]! * 0.85) return mix(colour, paper, y * 0.25);
    return Math.abs((y * 4) % 1) < 0.012 ? [236, 238, 240] : paper;
  });
}

/** Draws a round mark with a notch, as a company's logo. */
export function drawMark(side: number, colour: Colour, ground: Colour): Buffer {
  return drawPng(side, side, (x, y) => {
    const far = Math.hypot(x - 0.5, y - 0.5);
    const isMark = far < 0.46 && !(far < 0.2) && !(x > 0.5 && Math.abs(y - 0.5) < 0.1);
    return isMark ? colour : ground;
  });
}

/** Draws a cup, a lamp or a plant in flat colours, as a shop's goods. */
export function drawGoods(side: number, ground: Colour, colour: Colour, roundness: number): Buffer {
  return drawPng(side, side, (x, y) => {
    const wide = Math.abs(x - 0.5) ** roundness + Math.abs(y - 0.52) ** roundness;
    if (wide < 0.26 ** roundness) return mix(colour, [255, 255, 255], Math.max(0, 0.5 - x) * 0.7);
    if (Math.hypot((x - 0.5) / 3, y - 0.84) < 0.08) return mix(ground, [0, 0, 0], 0.08);
    return ground;
  });
}

/** Makes a PDF of one page with these lines of text. */
export function drawPdf(title: string, lines: readonly string[]): Buffer {
  const escaped = (text: string) => text.replace(/[\\()]/g, '\\$&');
  const text = lines.map((line, nth) => `1 0 0 1 72 ${700 - nth * 20} Tm (${escaped(line)}) Tj`).join('\n');
  const content = `BT /F1 22 Tf 1 0 0 1 72 750 Tm (${escaped(title)}) Tj /F1 12 Tf\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const places: number[] = [];
  for (const [nth, object] of objects.entries()) {
    places.push(file.length);
    file += `${nth + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
