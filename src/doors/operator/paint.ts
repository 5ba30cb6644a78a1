/** Whether to colour what is written to a stream: on a terminal, unless NO_COLOR is set (no-color.org). */
export function mayColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR;
}

export type Paint = (text: string) => string;

/** Returns a function that colours text for a terminal. `code` is an SGR parameter (ECMA-48 8.3.117). */
export function makePaint(colour: boolean, code: string): Paint {
  return (text) => (colour && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text);
}
