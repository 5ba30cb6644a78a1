/**
 * Returns options that make GNU tar write the same bytes for the same files, whoever owns them here.
 *
 * @param timeS the time of every file, in seconds since 1970.
 * @param ownerId the user and group of every file in the archive.
 */
export function listTarOptions(format: 'gnu' | 'ustar', timeS: number, ownerId = 0): string[] {
  return [
    '--sort=name',
    `--owner=${ownerId}`,
    `--group=${ownerId}`,
    '--numeric-owner',
    `--format=${format}`,
    `--mtime=@${timeS}`,
  ];
}
