/** Name and value of the fields in a header, in order and unfolded (RFC 5322 2.2.3), in linear time. */
export function readHeaderFields(head: string): [name: string, value: string][] {
  return head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .flatMap((line): [string, string][] => {
      const [, name, value = ''] = /^([^:\s]+):(.*)$/s.exec(line) ?? [];
      return name === undefined ? [] : [[name, value.trimStart()]];
    });
}

const WORD = /=\?([\w-]+)(?:\*[\w-]+)?\?([bq])\?([^?]*)\?=/gi;
const WORDS = /(?:=\?[\w-]+(?:\*[\w-]+)?\?[bq]\?[^?]*\?=)+/gi;

/** Decodes encoded words (RFC 2047); anything else, or an unknown charset, is left unchanged. */
export function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(WORDS, (run) => tryRun(run, () => run.replace(WORD, (word) => tryRun(word, () => word))));
}

function tryRun(run: string, otherwise: () => string): string {
  try {
    return decodeRun(run);
  } catch {
    return otherwise();
  }
}

/** A character may be divided between two words of one charset. */
function decodeRun(run: string): string {
  const parts: { charset: string; binary: string }[] = [];
  for (const [, charset = '', way = '', text = ''] of run.matchAll(WORD)) {
    const binary = way.toLowerCase() === 'b' ? atob(text) : decodeQuoted(text);
    const last = parts.at(-1);
    if (last?.charset === charset.toLowerCase()) last.binary += binary;
    else parts.push({ charset: charset.toLowerCase(), binary });
  }
  return parts
    .map(({ charset, binary }) => {
      const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
      // The types that a test is checked with know only some of the names.
      return new TextDecoder(charset as 'utf-8').decode(bytes);
    })
    .join('');
}

function decodeQuoted(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
