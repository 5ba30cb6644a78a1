import { readFileSync } from 'node:fs';
import listFile from './lists/guessed-passwords.bin' with { type: 'file' };
import { passwordHash } from './password-hash.ts';

/*
 * The passwords that are tried first, because they were found most often in breaches: those of zxcvbn-ts
 * (@zxcvbn-ts/language-common, which is released several times a year) that are long enough to be taken here, as hashes
 * in the executable. scripts/refresh-lists makes the file.
 */

let hashes: Uint32Array | undefined;

/** Ignores case and the width of letters (NFKC), which a guesser varies too. One repeated character is in no list. */
export function isGuessedFirst(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size === 1) return true;
  hashes ??= new Uint32Array(new Uint8Array(readFileSync(listFile)).buffer);
  const wanted = passwordHash(plain);
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === wanted;
}
