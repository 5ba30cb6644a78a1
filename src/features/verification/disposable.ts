import { readFileSync } from 'node:fs';
import { HASHES, hashDomain } from './domain-hash.ts';
import disposableFile from './lists/disposable.bin' with { type: 'file' };
import { noEntries, type OwnEntries } from './own-list.ts';
import { throwawayMx } from './throwaway-mx.ts';

/*
 * Recognizes disposable domains: by a list of hashes in the executable (domain-hash.ts), which is read on first use,
 * and by the hosts that accept a domain's mail. The operator's entries override both.
 */

/** The sorted hashes, and the start of each bucket. */
interface Index {
  hashes: Float64Array;
  starts: Uint32Array;
}

const BUCKETS = 2 ** 16;
const BUCKET = HASHES / BUCKETS;
let index: Index | undefined;
/** How many parents of a name are checked: those closest to the root. */
const PARENTS_MAX = 10;

/** Whether a domain, or one of its parents below the top level, is listed as disposable. */
export function isDisposable(domain: string, own: OwnEntries = noEntries): boolean {
  for (const name of listWithParents(domain)) {
    if (own.exceptions.has(name)) return false;
    if (own.additions.has(name) || isListed(name)) return true;
  }
  return false;
}

/**
 * Whether a disposable-address provider's hosts accept a domain's mail. Never true for a domain that the operator
 * excludes.
 */
export function isServedByThrowaway(
  domain: string,
  exchanges: readonly string[],
  own: OwnEntries = noEntries,
): boolean {
  if (listWithParents(domain).some((name) => own.exceptions.has(name))) return false;
  return exchanges.some((host) => {
    const names = listWithParents(host);
    return names.some((name) => !own.mxExceptions.has(name) && (own.mx.has(name) || throwawayMx.has(name)));
  });
}

/**
 * Returns `a.b.example.com`, `b.example.com` and `example.com`. No list contains a public suffix, so that is enough.
 * For a name with very many labels, which only an attacker uses, the closest parents are skipped.
 */
function listWithParents(domain: string): string[] {
  const parents: string[] = [];
  let dot = domain.lastIndexOf('.');
  while (dot > 0 && parents.length < PARENTS_MAX) {
    dot = domain.lastIndexOf('.', dot - 1);
    if (dot >= 0) parents.push(domain.slice(dot + 1));
  }
  return [domain, ...parents.reverse()];
}

function isListed(domain: string): boolean {
  index ??= readIndex();
  const wanted = hashDomain(domain);
  const bucket = Math.floor(wanted / BUCKET);
  for (let at = index.starts[bucket]!; at < index.starts[bucket + 1]!; at++) {
    if (index.hashes[at] === wanted) return true;
  }
  return false;
}

/** Reads the list. A bucket has about three hashes, so a look-up reads one place of it instead of seventeen. */
function readIndex(): Index {
  const hashes = new Float64Array(new Uint8Array(readFileSync(disposableFile)).buffer);
  const starts = new Uint32Array(BUCKETS + 1);
  for (const hash of hashes) starts[Math.floor(hash / BUCKET) + 1]! += 1;
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
  return { hashes, starts };
}
