/** The platforms of the image, and the names of their libraries in Debian. */

export interface ImagePlatform {
  /** The name of the architecture in OCI and Go. */
  arch: 'amd64' | 'arm64';
  /** The target of scripts/build. */
  target: string;
  /** The folder of Debian's libraries: `libc6-arm64-cross` has its files in `/usr/aarch64-linux-gnu/lib`. */
  tuple: string;
  /** The path at which the executable expects its loader. */
  loader: string;
}

export const platforms = {
  'linux/amd64': {
    arch: 'amd64',
    target: 'linux-x64',
    tuple: 'x86_64-linux-gnu',
    loader: 'lib64/ld-linux-x86-64.so.2',
  },
  'linux/arm64': {
    arch: 'arm64',
    target: 'linux-arm64',
    tuple: 'aarch64-linux-gnu',
    loader: 'lib/ld-linux-aarch64.so.1',
  },
} as const satisfies Record<string, ImagePlatform>;

export type Platform = keyof typeof platforms;

export function isPlatform(name: string): name is Platform {
  return Object.hasOwn(platforms, name);
}

/** The libraries that the executable and its SQLite are linked to, and those that the C library loads to look up names. */
export const libraries = [
  'libc.so.6',
  'libm.so.6',
  'libpthread.so.0',
  'libdl.so.2',
  'libresolv.so.2',
  'libstdc++.so.6',
  'libgcc_s.so.1',
];

/** Debian's packages with these libraries. */
export const libraryPackages = ['libc6', 'libstdc++6', 'libgcc-s1'];
