/** docs/troubleshooting.md quotes what the program prints. */
import { describe, expect, test } from 'bun:test';
import { quoted, readText, rowsBelow } from './tidy/documents.ts';
import { filesBelow } from './tidy/source.ts';

const page = 'docs/troubleshooting.md';

describe('the troubleshooting page', () => {
  test('quotes only messages that the program prints', () => {
    const messages = rowsBelow(page, '## What Postern prints').flatMap(([cell]) => quoted(cell) ?? []);
    expect(messages.length).toBeGreaterThan(15);
    const sources = filesBelow('src').filter((path) => path.endsWith('.ts'));
    const texts = sources.map((path) => readText(path).replaceAll("\\'", "'"));
    const isPrinted = (message: string) => {
      const parts = message.split('…').flatMap((part) => part.trim() || []);
      const pattern = new RegExp(parts.map((part) => RegExp.escape(part)).join('[^\\n]*'));
      return texts.some((text) => pattern.test(text));
    };
    expect(messages.filter((message) => !isPrinted(message))).toEqual([]);
  });

  test('explains every reason of a wait, and no other', () => {
    const cells = rowsBelow(page, '### A wait ends without the message').map(([cell]) => cell!);
    const written = cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name!));
    const source = readText('src/doors/operator/client/wait.ts');
    const [, table = ''] = /const mismatchTexts[^{]*\{([^}]*)\}/.exec(source)!;
    const known = Array.from(table.matchAll(/^ +(\w+):/gm), ([, name]) => name!);
    expect(written.sort()).toEqual([...known, 'no_message'].sort());
  });
});
