/** Reduces PNG files of screenshots to 256 colours, which is hardly visible and takes a third of the bytes. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

interface Pixels {
  width: number;
  height: number;
  /** A number for each pixel: red, green and blue. */
  colours: Uint32Array;
}

/** The most frequent colours, which are kept exactly. The others share the rest of the palette. */
const EXACT = 176;
const COLOURS_MAX = 256;

export function shrinkPng(png: Buffer): Buffer {
  const pixels = readPng(png);
  const { palette, nearest } = choosePalette(pixels.colours);
  const rows = Buffer.alloc((pixels.width + 1) * pixels.height);
  for (let y = 0, from = 0, at = 0; y < pixels.height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < pixels.width; x++) rows[at++] = nearest.get(pixels.colours[from++]!)!;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels.width, 0);
  head.writeUInt32BE(pixels.height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return joinPng([
    ['IHDR', head],
    ['PLTE', colours],
    ['IDAT', deflateSync(rows, { level: 9, memLevel: 9 })],
    ['IEND', Buffer.alloc(0)],
  ]);
}

/** Makes a PNG from its chunks. */
export function joinPng(chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const written = chunks.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const whole = Buffer.alloc(body.length + 8);
    whole.writeUInt32BE(data.length, 0);
    whole.set(body, 4);
    whole.writeUInt32BE(crc32(body), body.length + 4);
    return whole;
  });
  return Buffer.concat([signature, ...written]);
}

/** Reads a PNG as Chromium writes it: eight bits, with or without alpha, not interlaced. */
function readPng(png: Buffer): Pixels {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const depth = png[25] === 6 ? 4 : 3;
  const packed: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  const rows = inflateSync(Buffer.concat(packed));
  const stride = width * depth;
  const colours = new Uint32Array(width * height);
  let before = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const from = y * (stride + 1);
    const row = unfilter(rows[from]!, rows.subarray(from + 1, from + 1 + stride), before, depth);
    for (let x = 0, at = 0; x < width; x++, at += depth) {
      colours[y * width + x] = (row[at]! << 16) | (row[at + 1]! << 8) | row[at + 2]!;
    }
    before = row;
  }
  return { width, height, colours };
}

/** Undoes a row's filter (PNG specification 9.2). */
function unfilter(
  type: number,
  bytes: Uint8Array,
  above: Uint8Array,
  depth: number,
): Uint8Array<ArrayBuffer> {
  const row = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const left = row[at - depth] ?? 0;
    const up = above[at]!;
    const corner = above[at - depth] ?? 0;
    const guess = [0, left, up, (left + up) >> 1, type === 4 ? guessPaeth(left, up, corner) : 0][type]!;
    row[at] = bytes[at]! + guess;
  }
  return row;
}

function guessPaeth(left: number, up: number, corner: number): number {
  const [fromLeft, fromUp] = [Math.abs(up - corner), Math.abs(left - corner)];
  const fromCorner = Math.abs(left + up - 2 * corner);
  if (fromLeft <= fromUp && fromLeft <= fromCorner) return left;
  return fromUp <= fromCorner ? up : corner;
}

/** Chooses the colours to keep, and finds for each colour in the picture the position of the nearest one. */
function choosePalette(colours: Uint32Array): { palette: number[]; nearest: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const rest = byCount.slice(EXACT);
  const palette =
    byCount.length <= COLOURS_MAX
      ? byCount
      : [...byCount.slice(0, EXACT), ...cutMedian(rest, COLOURS_MAX - EXACT)];
  const nearest = new Map<number, number>();
  for (const colour of byCount) nearest.set(colour, findNearest(palette, colour));
  return { palette, nearest };
}

const parts = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255] as const;

function findNearest(palette: readonly number[], colour: number): number {
  const [red, green, blue] = parts(colour);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [place, each] of palette.entries()) {
    const [r, g, b] = parts(each);
    const far = (r - red) ** 2 * 2 + (g - green) ** 2 * 4 + (b - blue) ** 2;
    if (far < least) [best, least] = [place, far];
  }
  return best;
}

/** Splits the widest box of colours until there are enough boxes, and returns the mean of each. */
function cutMedian(colours: readonly number[], wanted: number): number[] {
  const width = (box: readonly number[], part: number) => {
    let [low, high] = [255, 0];
    for (const colour of box) {
      const value = parts(colour)[part]!;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low;
  };
  const measure = (box: readonly number[]) => {
    const widths = [0, 1, 2].map((part) => width(box, part));
    const widest = Math.max(...widths);
    return { box, widest, part: widths.indexOf(widest) };
  };
  const boxes = [measure(colours)];
  while (boxes.length < wanted) {
    boxes.sort((one, other) => other.widest - one.widest);
    const [first] = boxes;
    if (!first || first.widest === 0) break;
    const sorted = first.box.toSorted((one, other) => parts(one)[first.part]! - parts(other)[first.part]!);
    const middle = sorted.length >> 1;
    boxes.splice(0, 1, measure(sorted.slice(0, middle)), measure(sorted.slice(middle)));
  }
  return boxes.map(({ box }) => {
    const mean = (part: number) =>
      Math.round(box.reduce((sum, each) => sum + parts(each)[part]!, 0) / box.length);
    return (mean(0) << 16) | (mean(1) << 8) | mean(2);
  });
}
