import type { ComponentChildren } from 'preact';

/** A text with elements in place of its `{names}`: each language puts them where it needs them. */
export function fill(text: string, parts: Record<string, ComponentChildren>): ComponentChildren[] {
  return text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 === 0 ? piece : parts[piece]));
}
