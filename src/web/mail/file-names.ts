/** Most bytes of a name without its extension (at most 65 bytes) and number. Most file systems allow 255 in all. */
const STEM_BYTES_MAX = 180;

/** Returns the name of the download: without folders, and without hidden characters, which can disguise an extension. */
export function cleanName(filename: string | null): string {
  const base = filename?.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
}

/** Of `a.tar.gz`, the last: `.gz`. */
const ENDING = /\.[^.\s]{1,16}$/u;

/**
 * Returns names for files in one folder that are valid on every system. Duplicates are numbered, ignoring case as Windows
 * and macOS do.
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
    const whole = name.slice(0, name.length - ending.length);
    const cut = cutBytes(whole, STEM_BYTES_MAX);
    const stem = cut === whole ? whole : trimEnd(cut);
    let free = stem + ending;
    for (let nth = 2; taken.has(free.toLowerCase()); nth++) free = `${stem} (${nth})${ending}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** Windows refuses these characters, a trailing dot, and the names of its devices. macOS treats both forms of é as equal. */
function makePortable(name: string): string {
  const plain = trimEnd(
    name
      .toWellFormed()
      .normalize()
      .replace(/[<>:"|?*]/g, '_'),
  );
  return /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i.test(plain)
    ? `_${plain}`
    : plain;
}

const trimEnd = (name: string) => name.replace(/[. ]+$/, '');

/** The start of a text, cut at a whole character, that fits into this many bytes of UTF-8. */
function cutBytes(text: string, max: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max));
  return text.slice(0, read);
}
