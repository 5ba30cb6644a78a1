/** Colours of inline styles, as far as they are known without rendering, and their contrast (WCAG 2.2). */

export type Colour = readonly [red: number, green: number, blue: number];

/** The sixteen names of HTML, and others that mails use. */
const NAMES: Readonly<Record<string, string>> = {
  aqua: '00ffff',
  black: '000000',
  blue: '0000ff',
  brown: 'a52a2a',
  crimson: 'dc143c',
  darkblue: '00008b',
  darkgray: 'a9a9a9',
  darkgreen: '006400',
  darkgrey: 'a9a9a9',
  darkred: '8b0000',
  dimgray: '696969',
  dimgrey: '696969',
  fuchsia: 'ff00ff',
  gold: 'ffd700',
  gray: '808080',
  green: '008000',
  grey: '808080',
  lightblue: 'add8e6',
  lightgray: 'd3d3d3',
  lightgreen: '90ee90',
  lightgrey: 'd3d3d3',
  lime: '00ff00',
  maroon: '800000',
  navy: '000080',
  olive: '808000',
  orange: 'ffa500',
  orangered: 'ff4500',
  pink: 'ffc0cb',
  purple: '800080',
  red: 'ff0000',
  royalblue: '4169e1',
  silver: 'c0c0c0',
  skyblue: '87ceeb',
  steelblue: '4682b4',
  teal: '008080',
  tomato: 'ff6347',
  violet: 'ee82ee',
  white: 'ffffff',
  whitesmoke: 'f5f5f5',
  yellow: 'ffff00',
};

/** Reads a colour; null if it can't be known: a name that is not listed, a variable, or a translucent colour. */
export function readColour(written: string): Colour | null {
  const text = written.trim().toLowerCase().slice(0, 60);
  const hex = NAMES[text] ?? /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text)?.[1];
  if (hex !== undefined) {
    const long = Number.parseInt(hex.length === 3 ? hex.replace(/./g, '$&$&') : hex, 16);
    return [long >> 16, (long >> 8) & 0xff, long & 0xff];
  }
  const parts = /^rgba?\( ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?(?:[,/] ?1(?:\.0)? ?)?\)$/.exec(
    text.replace(/\s+/g, ' '),
  );
  if (!parts) return null;
  const colour: Colour = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return colour.every((value) => value <= 255) ? colour : null;
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function measureContrast(one: Colour, other: Colour): number {
  const [first, second] = [measureLuminance(one), measureLuminance(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

function measureLuminance([red, green, blue]: Colour): number {
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue);
}

/** Converts a value of sRGB to its share of the full light. */
function toLinear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

export const formatColour = (colour: Colour) =>
  `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
