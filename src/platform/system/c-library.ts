import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

/*
 * The C library, for system calls that Bun does not offer. Every use has a fallback, because only Linux has these
 * functions and the constants that they are called with: macOS has some of them under other numbers.
 */

/**
 * glibc's file has this name. musl has another, which depends on the machine, but its loader answers to every name
 * that begins with `libc.` with itself (musl 1.2.3 and 1.2.5 tried, ldso/dynlink.c).
 */
const NAME = 'libc.so.6';

/** Throws, with a reason for the log, where the library or one of the functions is missing. */
export function openCLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  platform: string = process.platform,
): Library<Functions>['symbols'] {
  if (platform !== 'linux') throw new Error(`the system calls of Linux are not on ${platform}`);
  return dlopen(NAME, functions).symbols;
}
