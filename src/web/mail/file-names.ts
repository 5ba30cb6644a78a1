/** Characters of a name in a zip file; file systems have 255 bytes. */
const NAME_CHARS_MAX = 80;

/** As the download calls it: without folders, and without hidden characters, which can disguise an ending. */
export function cleanName(filename: string | null): string {
  const base = filename?.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
}

/** Of `a.tar.gz`, the last: `.gz`. */
const ENDING = /\.[^.\s]{1,16}$/;

/**
 * Names for files that are put into one folder, of whichever system: a name that is there already is numbered. Case
 * makes no difference, as on Windows and macOS.
 * @param unnamed the name of a file without a usable one.
 */
export function nameFiles(
  files: readonly { filename: string | null }[],
  unnamed: (place: number) => string,
): string[] {
  const taken = new Set<string>();
  return files.map(({ filename }, at) => {
    const name = makePortable(cleanName(filename)) || unnamed(at + 1);
    const ending = ENDING.exec(name)?.[0] ?? '';
    const stem = name.slice(0, name.length - ending.length).slice(0, NAME_CHARS_MAX);
    let free = stem + ending;
    for (let nth = 2; taken.has(free.toLowerCase()); nth++) free = `${stem} (${nth})${ending}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** Windows refuses these characters, a dot at the end, and the names of its devices. */
function makePortable(name: string): string {
  const plain = name.replace(/[<>:"|?*]/g, '_').replace(/[. ]+$/, '');
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(plain) ? `_${plain}` : plain;
}
