import { readFileSync } from 'node:fs';
import { domainHash, HASHES } from './domain-hash.ts';
import disposableFile from './lists/disposable.bin' with { type: 'file' };
import { noEntries, type OwnEntries } from './own-list.ts';
import { throwawayMx } from './throwaway-mx.ts';

/*
 * Which domains are throwaway ones: a list of hashes in the executable (domain-hash.ts), read at the first question;
 * the hosts that take mail for a domain; and before both what the operator says.
 */

/** The hashes, sorted, and where those of each bucket begin. */
interface Index {
  hashes: Float64Array;
  starts: Uint32Array;
}

const BUCKETS = 2 ** 16;
const BUCKET = HASHES / BUCKETS;
let index: Index | undefined;
/** Parents of a name that are looked at: those nearest to the root. */
const PARENTS_MAX = 10;

/** By a domain's name alone. Looks at its parents too, save the last label. */
export function isDisposable(domain: string, own: OwnEntries = noEntries): boolean {
  for (const name of withParents(domain)) {
    if (own.exceptions.has(name)) return false;
    if (own.additions.has(name) || isListed(name)) return true;
  }
  return false;
}

/** By the hosts that take its mail; a domain that the operator excepts is none, whoever takes it. */
export function isServedByThrowaway(
  domain: string,
  exchanges: readonly string[],
  own: OwnEntries = noEntries,
): boolean {
  if (withParents(domain).some((name) => own.exceptions.has(name))) return false;
  return exchanges.some((host) => {
    const names = withParents(host);
    return names.some((name) => !own.mxExceptions.has(name) && (own.mx.has(name) || throwawayMx.has(name)));
  });
}

/**
 * `a.b.example.com`, `b.example.com`, `example.com`. The list holds no public suffix, so that is far enough. Of a name
 * of very many labels, which only an attacker has, the nearest parents are passed over.
 */
function withParents(domain: string): string[] {
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
  const wanted = domainHash(domain);
  const bucket = Math.floor(wanted / BUCKET);
  for (let at = index.starts[bucket]!; at < index.starts[bucket + 1]!; at++) {
    if (index.hashes[at] === wanted) return true;
  }
  return false;
}

/** Three hashes are in a bucket, so a look reads one place of the list and not seventeen. */
function readIndex(): Index {
  const hashes = new Float64Array(new Uint8Array(readFileSync(disposableFile)).buffer);
  const starts = new Uint32Array(BUCKETS + 1);
  for (const hash of hashes) starts[Math.floor(hash / BUCKET) + 1]! += 1;
  for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
  return { hashes, starts };
}
