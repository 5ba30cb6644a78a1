import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

/*
 * The C library, for system calls that Bun does not offer. Every use has a fallback, because the functions and the
 * constants that they are called with are Linux's: macOS has some of them under other numbers.
 */

/**
 * The name of glibc's file. musl's has another, which depends on the machine, but its loader takes every name that
 * begins with `libc.` for itself (ldso/dynlink.c; tried with musl 1.2.3 and 1.2.5).
 */
const NAME = 'libc.so.6';

/** Opens the library. Throws, with a reason for the log, if the library or one of the functions is missing. */
export function openCLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  platform: string = process.platform,
): Library<Functions>['symbols'] {
  if (platform !== 'linux') throw new Error(`the system calls of Linux are not on ${platform}`);
  return dlopen(NAME, functions).symbols;
}
