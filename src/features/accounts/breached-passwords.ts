import { readFileSync } from 'node:fs';
import listFile from './lists/breached-passwords.bin' with { type: 'file' };
import { fingerprintPassword } from './password-hash.ts';

/*
 * The passwords that attackers try first because breaches contain them most often. They come from zxcvbn-ts
 * (@zxcvbn-ts/language-common, released several times a year), without those that are too short to be allowed here,
 * and are in the executable as hashes. scripts/refresh-lists creates the file.
 */

let hashes: Uint32Array | undefined;

/**
 * Whether a password is on the list, ignoring case and character width (NFKC), which guessers vary too. Also true for
 * one repeated character.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  if (new Set(plain).size === 1) return true;
  hashes ??= new Uint32Array(new Uint8Array(readFileSync(listFile)).buffer);
  const wanted = fingerprintPassword(plain);
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === wanted;
}
