/** What a power cut may leave (scripts/powercut/simulate.ts). The torture test is only as good as this simulation. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { LogRecord } from '../../scripts/powercut/log.ts';
import { Disk, type Image, type Variant, variants } from '../../scripts/powercut/simulate.ts';

type Unnumbered = Omit<LogRecord, 'n' | 'data'> & { text?: string };

/** Returns the disk after these records, which are numbered from 1. */
function diskAfter(records: readonly Unnumbered[], initial?: Map<string, Uint8Array>): Disk {
  const disk = new Disk(initial);
  for (const [index, { text = '', ...record }] of records.entries()) {
    disk.feed({ ...record, n: index + 1, data: Buffer.from(text) });
  }
  return disk;
}

const contents = ({ files }: Image) =>
  Object.fromEntries([...files].map(([path, content]) => [path, Buffer.from(content).toString()]));
const names = Object.keys(variants) as Variant[];

const create = (id: number, name: string): Unnumbered => ({ op: 'create', id, dir: 1, name });
const write = (id: number, off: number, text: string): Unnumbered => ({ op: 'write', id, off, text });
const truncate = (id: number, size: number): Unnumbered => ({ op: 'truncate', id, size });
const syncAt = (id: number, covered: number): Unnumbered => ({ op: 'fsync', id, off: covered });
const syncNames: Unnumbered = { op: 'fsyncdir', id: 1 };

describe('in the strict variant, the disk', () => {
  const strict = (...records: Unnumbered[]) => contents(diskAfter(records).image('strict', 1));

  test('keeps a file with its synced bytes once its folder is synced too', () => {
    expect(strict(create(2, 'a'), write(2, 0, 'one'), syncAt(2, 2))).toEqual({});
    expect(strict(create(2, 'a'), write(2, 0, 'one'), syncNames)).toEqual({ a: '' });
    expect(strict(create(2, 'a'), write(2, 0, 'one'), syncAt(2, 2), syncNames)).toEqual({ a: 'one' });
  });

  test('keeps bytes that were written before a sync began, but not those written while it ran', () => {
    const records = [create(2, 'a'), write(2, 0, 'one'), write(2, 3, 'two'), syncAt(2, 2), syncNames];
    expect(strict(...records)).toEqual({ a: 'one' });
  });

  test('undoes a rename or removal that was not synced', () => {
    const old = [create(2, 'a'), write(2, 0, 'old'), syncAt(2, 2), syncNames];
    const fresh = [create(3, 'a.new'), write(3, 0, 'new'), syncAt(3, 6)];
    const rename: Unnumbered = { op: 'rename', id: 3, dir: 1, name: 'a.new', dir2: 1, name2: 'a' };
    expect(strict(...old, ...fresh, rename)).toEqual({ a: 'old' });
    expect(strict(...old, ...fresh, rename, syncNames)).toEqual({ a: 'new' });
    expect(strict(...old, { op: 'unlink', id: 2, dir: 1, name: 'a' })).toEqual({ a: 'old' });
  });

  test('keeps a folder once its parent is synced', () => {
    const created: Unnumbered[] = [
      { op: 'mkdir', id: 2, dir: 1, name: 'data' },
      { ...create(3, 'a'), dir: 2 },
    ];
    const inner: Unnumbered = { op: 'fsyncdir', id: 2 };
    expect(diskAfter([...created, inner]).image('strict', 1).folders).toEqual([]);
    expect(strict(...created, inner, syncNames)).toEqual({ 'data/a': '' });
  });
});

test('in the ordered variant, names and lengths survive, and unsynced bytes read as zeros', () => {
  const disk = diskAfter([create(2, 'a'), write(2, 0, 'one'), syncAt(2, 2), write(2, 0, 'twofour')]);
  expect(contents(disk.image('ordered', 1))).toEqual({ a: 'one\0\0\0\0' });
});

test('in the torn variant, everything survives except a part of the last write', () => {
  const disk = diskAfter([create(2, 'a'), write(2, 0, 'one'), write(2, 3, 'twotwotwo')]);
  const left = Array.from({ length: 40 }, (_, seed) => contents(disk.image('torn', seed)).a!);
  expect(left.every((text) => 'onetwotwotwo'.startsWith(text) && text.startsWith('one'))).toBe(true);
  expect(new Set(left).size).toBeGreaterThan(3);
});

test('in the variants sectors and pages, pieces of 512 and 4,096 bytes survive whole or not at all', () => {
  for (const [variant, bytes] of [
    ['sectors', 512],
    ['pages', 4096],
  ] as const) {
    const disk = diskAfter([create(2, 'a'), syncNames, write(2, 0, 'x'.repeat(8 * bytes))]);
    const kinds = new Set<string>();
    for (let seed = 0; seed < 30; seed++) {
      const text = contents(disk.image(variant, seed)).a!;
      for (let at = 0; at < text.length; at += bytes) kinds.add(text.slice(at, at + bytes));
    }
    expect([...kinds].sort()).toEqual(['\0'.repeat(bytes), 'x'.repeat(bytes)]);
  }
});

test('in the garbage variant, lost bytes after the old end of a file are random', () => {
  const disk = diskAfter([create(2, 'a'), syncNames, write(2, 0, 'x'.repeat(8 * 512))]);
  const bytes = Array.from({ length: 30 }, (_, seed) => [
    ...disk.image('garbage', seed).files.get('a')!,
  ]).flat();
  expect(new Set(bytes).size).toBeGreaterThan(200);
});

test('in the pages variant, a name may be lost while a later one survives, but a rename is atomic', () => {
  const rename: Unnumbered = { op: 'rename', id: 2, dir: 1, name: 'a', dir2: 1, name2: 'b' };
  const disk = diskAfter([create(2, 'a'), syncNames, rename, create(3, 'c')]);
  const seen = new Set(
    Array.from({ length: 60 }, (_, seed) => [...disk.image('pages', seed).files.keys()].sort().join()),
  );
  expect([...seen].sort()).toEqual(['a', 'a,c', 'b', 'b,c']);
});

test('a second name is a link to the same file', () => {
  const disk = diskAfter([create(2, 'a'), { op: 'link', id: 2, dir: 1, name: 'b' }, syncNames]);
  const { files, links } = disk.image('strict', 1);
  expect([[...files.keys()], [...links]]).toEqual([['a'], [['b', 'a']]]);
});

test('files that are older than the log are on the disk with all their bytes', () => {
  const initial = new Map([['data/a', Buffer.from('old')]]);
  const bound: Unnumbered[] = [
    { op: 'bind', id: 2, path: 'data' },
    { op: 'bind', id: 3, path: 'data/a' },
  ];
  expect(contents(diskAfter([], initial).image('strict', 1))).toEqual({ 'data/a': 'old' });
  const disk = diskAfter([...bound, write(3, 0, 'new')], initial);
  expect(contents(disk.image('strict', 1))).toEqual({ 'data/a': 'old' });
  expect(contents(disk.image('torn', 3))['data/a']).toMatch(/^(old|nld|neld|new|ned)$/);
});

test('a change to a file that was never created is an error in the log, and not skipped', () => {
  expect(() => diskAfter([write(7, 0, 'x')])).toThrow('never created');
  expect(() => diskAfter([{ op: 'bind', id: 7, path: 'b' }])).toThrow('did not exist');
});

/** Generates histories of three files that are written, truncated and synced. */
const lives = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('write'),
      id: fc.integer({ min: 2, max: 4 }),
      off: fc.nat(3000),
      size: fc.nat(1500),
    }),
    fc.record({ kind: fc.constant('truncate'), id: fc.integer({ min: 2, max: 4 }), size: fc.nat(3000) }),
    fc.record({ kind: fc.constant('sync'), id: fc.integer({ min: 2, max: 4 }) }),
  ) as fc.Arbitrary<{ kind: string; id: number; off?: number; size?: number }>,
  { maxLength: 25 },
);

function listRecords(
  life: readonly { kind: string; id: number; off?: number; size?: number }[],
): Unnumbered[] {
  const created = [create(2, 'a'), create(3, 'b'), create(4, 'c'), syncNames];
  return [
    ...created,
    ...life.map(({ kind, id, off = 0, size = 0 }, index) => {
      if (kind === 'write') return write(id, off, String.fromCharCode(97 + (index % 26)).repeat(size));
      return kind === 'truncate' ? truncate(id, size) : syncAt(id, created.length + index);
    }),
  ];
}

test('every variant leaves the same files when everything was synced', () => {
  fc.assert(
    fc.property(lives, fc.nat(), (life, seed) => {
      const records = listRecords(life);
      const all = [2, 3, 4].map((id) => syncAt(id, records.length));
      const disk = diskAfter([...records, ...all]);
      const wanted = contents(disk.image('strict', 0));
      for (const variant of names) expect(contents(disk.image(variant, seed))).toEqual(wanted);
    }),
    { numRuns: 60 },
  );
});

test('a cut gives the same result each time, and does not change its input', () => {
  fc.assert(
    fc.property(lives, fc.nat(), fc.constantFrom(...names), (life, seed, variant) => {
      const disk = diskAfter(listRecords(life));
      const first = contents(disk.image(variant, seed));
      for (const other of names) disk.image(other, seed + 1);
      expect(contents(disk.image(variant, seed))).toEqual(first);
    }),
    { numRuns: 60 },
  );
});
