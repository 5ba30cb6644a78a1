/*
 * Content negotiation, as far as docs/api-v1.md requires it: whether `Accept` admits JSON, which errors always are, or one of the
 * route's own types. The most specific range that matches decides (RFC 9110, 12.5.1).
 */

interface Range {
  type: string;
  subtype: string;
  q: number;
}

/** Whether a client accepts one of these media types. A missing, empty or unreadable header accepts all. */
export function acceptsType(accept: string | null, types: readonly string[]): boolean {
  if (accept === null || accept.trim() === '') return true;
  const ranges = accept
    .split(',')
    .map(readRange)
    .filter((range) => range !== null);
  if (ranges.length === 0) return true;
  return [...types, 'application/json'].some((offered) => offered === '*/*' || weigh(offered, ranges) > 0);
}

function weigh(offered: string, ranges: readonly Range[]): number {
  const [type, subtype] = offered.split('/');
  const exact = ranges.find((range) => range.type === type && range.subtype === subtype);
  const group = ranges.find((range) => range.type === type && range.subtype === '*');
  const any = ranges.find((range) => range.type === '*' && range.subtype === '*');
  return (exact ?? group ?? any)?.q ?? 0;
}

function readRange(text: string): Range | null {
  const [media = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const found = /^([!#$%&'*+.^_`|~0-9a-z-]+)\/([!#$%&'*+.^_`|~0-9a-z-]+)$/.exec(media);
  if (!found?.[1] || !found[2]) return null;
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const q = weight === undefined ? 1 : Number(weight.slice(2));
  return { type: found[1], subtype: found[2], q: Number.isFinite(q) ? q : 1 };
}

export type Coding = 'br' | 'gzip' | 'identity';

/** Returns the most compact coding that `Accept-Encoding` admits (RFC 9110, 12.5.3); identity if it names none of ours. */
export function chooseCoding(accept: string | null): Coding {
  const weights = new Map<string, number>();
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  const codings = ['br', 'gzip'] as const;
  return codings.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0) ?? 'identity';
}
