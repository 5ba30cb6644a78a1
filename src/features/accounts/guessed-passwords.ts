import { readFileSync } from 'node:fs';
import listFile from './lists/guessed-passwords.bin' with { type: 'file' };
import { shortenPassword } from './password-hash.ts';

/*
 * The passwords that attackers try first because breaches contain them most often. They are the passwords of
 * zxcvbn-ts (@zxcvbn-ts/language-common, released several times a year) that are long enough to be allowed here,
 * stored in the executable as hashes. scripts/refresh-lists creates the file.
 */

let hashes: Uint32Array | undefined;

/** Ignores case and character width (NFKC), which guessers vary too. Also catches one repeated character. */
export function isGuessedFirst(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size === 1) return true;
  hashes ??= new Uint32Array(new Uint8Array(readFileSync(listFile)).buffer);
  const wanted = shortenPassword(plain);
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === wanted;
}
