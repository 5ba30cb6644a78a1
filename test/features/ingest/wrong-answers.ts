/** Answers of a parser process that a mail took over: right ones, changed at random places to the worst values. */
import fc from 'fast-check';
import { compressStored } from '../../../src/platform/mail/stored-mail.ts';
import { encodeFrame } from '../../../src/platform/process/frames.ts';

const times = [
  '9999-12-31T23:59:59.999999Z',
  '0000-01-01T00:00:00.000000Z',
  '2026-13-45T99:99:99.999999Z',
  '-271821-04-20T00:00:00.000000Z',
];

const odd = fc.oneof(
  fc.constantFrom<unknown>(...[null, true, false, 0, -1, 0.5, 1, 1e308, -1e308, 2 ** 53, Number.MIN_VALUE]),
  fc.constantFrom<unknown>(...['', '\ud800', 'a\r\nBcc: b@example.org', '\u0000', '\u001b[2J', '\u202e']),
  fc.constantFrom('<script>alert(1)</script>', '%00', 'a@b@c', '<>', '"', ',', '__proto__', '../../x', ' '),
  fc.constantFrom('javascript:alert(1)', 'https://', 'https://a b/', 'mailto:', 'HTTPS://[::1', 'http://%'),
  fc.constantFrom(...times),
  fc.constantFrom<unknown>(
    Array(100_000).fill('a@example.org'),
    Array(201).fill(''),
    [{ a: 1 }],
    [[]],
    [],
    {},
  ),
  fc.constantFrom<unknown>({ length: 1e9 }, ['__proto__'], [0, 1e15], [-1, 5], [5, 1], ['a', 'a'], ['']),
  fc.constantFrom(20, 161, 2_000, 2_001, 70_000, 1_048_577).map((length) => 'x'.repeat(length)),
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Names that mean something to objects. */
const names = ['__proto__', 'constructor', 'toString', 'length'];

/** Returns the answer to a mail as a frame. The same seed makes the same one. */
export function makeWrongAnswer(id: number, mail: { summary: object; content: object }, seed: number) {
  const { summary, content } = distort(mail, seed) as typeof mail;
  const name = names[seed % 40];
  const json = (JSON.stringify(content) ?? 'null').replace('"truncated"', `"${name ?? 'truncated'}"`);
  const isJson = seed % 3 !== 0;
  const bytes = Buffer.from(json);
  return encodeFrame({ id, summary, is_json: isJson }, isJson ? bytes : compressStored(bytes));
}

/** Replaces up to three values anywhere in it, or leaves them out. */
function distort(given: object, seed: number): unknown {
  const changed = structuredClone(given);
  const places: [Record<string, unknown>, string][] = [];
  const collect = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      places.push([value as Record<string, unknown>, key]);
      collect(inner);
    }
  };
  for (const part of Object.values(changed)) collect(part);
  const place = fc.nat({ max: places.length - 1 });
  const changes = fc.array(fc.tuple(place, fc.option(odd, { nil: undefined, freq: 9 })), {
    minLength: 1,
    maxLength: 3,
  });
  for (const [at, value] of fc.sample(changes, { seed, numRuns: 1 })[0]!) {
    const [holder, key] = places[at]!;
    holder[key] = value;
  }
  return changed;
}
