/** Mail from mailers that break the rules of MIME. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseMail, parseSlowly, readAttachment } from '../../../../src/platform/mail/parse.ts';

const toBytes = (mail: string) => Buffer.from(mail.replaceAll('\n', '\r\n'), 'latin1');

async function parse(mail: string) {
  const bytes = toBytes(mail);
  const { summary, content } = await parseMail(bytes);
  expect({ summary, content }).toEqual(await parseSlowly(bytes));
  return { ...summary, ...content };
}

const FIELDS = 'From: a@b.example\nSubject: x\nMIME-Version: 1.0\n';
const part = (type: string, body: string) => `Content-Type: ${type}\n\n${body}\n`;
const PARTS = `--real\n${part('text/plain', 'hello')}--real\n${part('text/html', '<p>hello</p>')}--real--\n`;

const ATTACHED = 'Content-Disposition: attachment; filename=a.bin\n\nbytes\n';

describe('a multipart whose boundary is not in its body', () => {
  test.each(['; boundary="other"', '', '; boundary=', '; boundary="$boundary"', '\n boundary="real"'])(
    'is divided where its parts begin: multipart/alternative%s',
    async (parameter) => {
      const mail = await parse(`${FIELDS}Content-Type: multipart/alternative${parameter}\n\n${PARTS}`);
      expect({ text: mail.text, html: mail.html }).toEqual({ text: 'hello', html: '<p>hello</p>' });
    },
  );

  test('has its attachments, under the same index as in the list', async () => {
    const mail = `${FIELDS}Content-Type: multipart/mixed; boundary=b\n\n--real\n${part('text/plain', 'hello')}--real\n${ATTACHED}--real--\n`;
    expect((await parse(mail)).attachments).toMatchObject([{ index: 0, filename: 'a.bin', size: 5 }]);
    expect(Buffer.from((await readAttachment(toBytes(mail), 0)) ?? []).toString()).toBe('bytes');
  });

  test('is a text when it has no parts', async () => {
    const open = `${FIELDS}Content-Type: multipart/mixed;\n boundary=b\n\n`;
    expect((await parse(`${open}Your code is 482913.\n`)).text).toBe('Your code is 482913.\n');
    expect((await parse(`${open}<html><p>hello</p></html>\n`)).html).toBe('<html><p>hello</p></html>\n');
    expect((await parse(`${open}\n\n`)).text).toBe('');
  });

  const outer = (inner: string) =>
    parse(
      `${FIELDS}Content-Type: multipart/mixed; boundary=out\n\n--out\n${inner}\n--out\n${ATTACHED}--out--\n`,
    );

  test.each(['; boundary="other"', '', '; boundary=', ';\n\tboundary="re"'])(
    'is divided even within another: multipart/alternative%s',
    async (parameter) => {
      const mail = await outer(`Content-Type: multipart/alternative${parameter}\n\n${PARTS}`);
      expect({ text: mail.text, html: mail.html, attachments: mail.attachments.length }).toEqual({
        text: 'hello',
        html: '<p>hello</p>',
        attachments: 1,
      });
    },
  );

  test('beside an attachment does not change the bytes of the attachment', async () => {
    const mail = `${FIELDS}Content-Type: multipart/mixed; boundary=out\n\n--out\nContent-Type: multipart/alternative; boundary=other\n\n${PARTS}\n--out\n${ATTACHED}--out--\n`;
    expect((await parse(mail)).attachments).toMatchObject([{ index: 0, filename: 'a.bin', size: 5 }]);
    expect(Buffer.from((await readAttachment(toBytes(mail), 0)) ?? []).toString()).toBe('bytes');
  });

  test('is divided even at the third level, beside one that is right', async () => {
    const right = `Content-Type: multipart/alternative; boundary=real\n\n${PARTS}`;
    const wrong = `Content-Type: multipart/alternative; boundary=no\n\n${PARTS.replaceAll('hello', 'bye').replaceAll('real', 'out2')}`;
    const mail = await outer(
      `Content-Type: multipart/related; boundary=mid\n\n--mid\n${right}\n--mid\n${wrong}\n--mid--`,
    );
    expect({ text: mail.text, html: mail.html }).toEqual({
      text: 'hello\nbye',
      html: '<p>hello</p><br/>\n<p>bye</p>',
    });
  });

  test('is a text when it has no parts, even within another', async () => {
    const open = 'Content-Type: multipart/alternative; boundary=none\n\n';
    expect((await outer(`${open}Your code is 482913.`)).text).toBe('Your code is 482913.');
    expect((await outer(`${open}Your code is 482913.\n--none--\n`)).text).toBe('Your code is 482913.');
    expect((await outer(`${open}--none--`)).text).toBe('');
    expect((await outer(open)).text).toBe('');
  });

  test('is divided whatever it declares, and whatever its delimiter is', async () => {
    const boundary = fc.stringMatching(/^[\w'+./:=?-]{1,30}$/);
    const words = fc.stringMatching(/^[a-zA-Z0-9 .,]{1,40}[a-z]$/);
    const check = async (declared: string, real: string, text: string, isInner: boolean) => {
      // Otherwise, its first delimiter could be the closing one of the declared boundary.
      fc.pre(declared !== real && real !== `${declared}--` && ![declared, real].includes('out'));
      const parts = `--${real}\n${part('text/plain', text)}--${real}\n${part('text/html', text)}--${real}--\n`;
      const inner = `Content-Type: multipart/alternative; boundary="${declared}"\n\n${parts}`;
      const mail = await (isInner ? outer(inner) : parse(`${FIELDS}${inner}`));
      expect({ text: mail.text, html: mail.html }).toEqual({ text, html: text });
    };
    await fc.assert(fc.asyncProperty(boundary, boundary, words, fc.boolean(), check), { numRuns: 200 });
  });

  test('takes linear time to read', async () => {
    const start = performance.now();
    for (const line of ['--x\n', '--x\nContent-', `--${'x'.repeat(70)} `, '<', ' ', '\n'])
      for (const parameter of ['', '; boundary=x', '; boundary=y'])
        await parse(
          `${FIELDS}Content-Type: multipart/mixed${parameter}\n\n${line.repeat(2_000_000 / line.length)}`,
        );
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe('a missing empty line after the fields', () => {
  test('is noticed in a part, even if the text has several paragraphs', async () => {
    const mail = await parse(
      `${FIELDS}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\nHello Ann,\nyour code: 482913\n\nBye\n--b\nContent-Type: text/html\n<p>hello</p>\n--b--\n`,
    );
    expect(mail.text).toBe('Hello Ann,\nyour code: 482913\n\nBye');
    expect(mail.html.trim()).toBe('<p>hello</p>');
  });

  test('is noticed in a mail that has no empty line', async () => {
    expect((await parse('Subject: Hi\nYour code is 482913.\n')).text.trim()).toBe('Your code is 482913.');
  });

  test('is not assumed if fields follow the line', async () => {
    const mail = await parse('Subject: x\nno field at all\nFrom: a@b.example\n\nhello\n');
    expect({ from: mail.from, text: mail.text }).toEqual({ from: 'a@b.example', text: 'hello\n' });
  });

  test('is not assumed if a part has no fields', async () => {
    const mail = await parse(`${FIELDS}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b--\n`);
    expect(mail.text).toBe('hello');
  });
});

describe('a Content-Type that names no type', () => {
  test.each([
    ['text', 'text'],
    ['', 'text'],
    ['plain', 'text'],
    ['text/', 'text'],
    ['plain/text', 'text'],
    ['text/plain charset=utf-8', 'text'],
    ['TEXT', 'text'],
    ['html', 'html'],
    ['text html', 'html'],
    ['text/html, charset=utf-8', 'html'],
    ['text/html: charset=utf-8', 'html'],
  ] as const)('is a text: %p', async (type, kind) => {
    const alone = await parse(`${FIELDS}${part(type, '<p>hello</p>')}`);
    expect({ shown: alone[kind], attachments: alone.attachments }).toEqual({
      shown: '<p>hello</p>\n',
      attachments: [],
    });
    const inner = `--b\n${part(type, '<p>hello</p>')}--b--\n`;
    expect((await parse(`${FIELDS}Content-Type: multipart/mixed; boundary=b\n\n${inner}`))[kind]).toBe(
      '<p>hello</p>',
    );
  });

  test('of text with markup is a text only if the mail has no other', async () => {
    expect((await parse(`${FIELDS}${part('text/markdown', '# hello')}`)).text).toBe('# hello\n');
    const enriched = `--b\n${part('text/plain', 'a')}--b\n${part('text/enriched', '<bold>a</bold>')}--b--\n`;
    const mail = await parse(`${FIELDS}Content-Type: multipart/alternative; boundary=b\n\n${enriched}`);
    expect(mail.text).toBe('a');
  });

  test('stays an attachment if it has a name or is declared as one', async () => {
    for (const field of [
      'Content-Type: pdf; name=a.pdf',
      'Content-Type: text\nContent-Disposition: attachment',
    ]) {
      const inner = `--b\n${field}\n\nhello\n--b--\n`;
      const mail = await parse(`${FIELDS}Content-Type: multipart/mixed; boundary=b\n\n${inner}`);
      expect({ text: mail.text, attachments: mail.attachments.length }).toEqual({ text: '', attachments: 1 });
    }
  });
});

describe('a transfer encoding', () => {
  const encoded = async (encoding: string, body: string) =>
    (
      await parse(
        `${FIELDS}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`,
      )
    ).text;

  test.each(['quoted printable', 'Quoted_Printable', 'quoted-printable;', '"quoted-printable"'])(
    'is read from %s',
    async (name) => {
      expect(await encoded(name, 'caf=C3=A9')).toBe('café\n');
    },
  );

  test.each(['base-64', 'base 64', 'BASE64;', "'base64'"])('is read from %s', async (name) => {
    expect(await encoded(name, 'Y2Fmw6k=')).toBe('café');
  });

  test('of base64 is ignored if the body is not base64', async () => {
    for (const text of ['Your code is 482913, thanks.', 'Hello\n\nYour code is 482913.', '<p>482913</p>'])
      expect(await encoded('base64', text)).toBe(`${text}\n`);
  });

  test('of base64 ends where a list adds its footer', async () => {
    const long = 'Your code is 482913. '.repeat(6);
    for (const text of ['a', long]) {
      const written = Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n');
      expect(await encoded('base64', `${written}\n\n-- \nThe list, every day.`)).toBe(
        `${text}\n-- \nThe list, every day.\n`,
      );
    }
  });

  test('of base64 with an odd character here and there is decoded', async () => {
    const written = Buffer.from('a'.repeat(120)).toString('base64').replace(/.{76}/g, '$&\n!');
    expect((await encoded('base64', written)).slice(0, 50)).toBe('a'.repeat(50));
  });
});

test('bare carriage returns end lines', async () => {
  const mail = await parse(`${FIELDS}\nHello\rYour code is\r482913\rbye\r\r\n`);
  expect({ text: mail.text, otp: mail.otp }).toEqual({
    text: 'Hello\nYour code is\n482913\nbye\n',
    otp: '482913',
  });
});
