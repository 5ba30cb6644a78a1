/**
 * Builds the judge's mails from a short notation, one mail per `===` block:
 *
 *     === language layout name of the mail
 *     Sender <address@sender.example>
 *     Subject
 *     Body, one block per line
 *
 * A line of the body starts with its kind: `# ` heading, `> ` big line of its own (where codes are), `| ` row of two
 * cells, `img: ` image with its alt text, `- ` footer. A line that is only `[label](url)` is a button. Anything else
 * is a paragraph. Marks carry the labels and are not part of the mail: `{482913}` is the code, `[!label](url)` or
 * `<!url>` the magic link.
 */
import type { OwnMail } from './own-mail.ts';

type Kind = 'heading' | 'big' | 'row' | 'image' | 'footer' | 'button' | 'paragraph';

interface Block {
  kind: Kind;
  words: string;
  url: string;
}

interface Sheet {
  blocks: Block[];
  language: string;
  domain: string;
  title: string;
}

const RTL = new Set(['ar', 'fa', 'he', 'ur', 'ps', 'ckb']);
const PREFIXES: [string, Kind][] = [
  ['# ', 'heading'],
  ['> ', 'big'],
  ['| ', 'row'],
  ['img: ', 'image'],
  ['- ', 'footer'],
];
const INLINE = /\[([^\]]+)\]\((https?:[^)]+)\)|(https?:\/\/[^\s<>()。、，]+)/g;

function readBlock(line: string): Block {
  const button = /^\[([^\]]+)\]\((https?:[^)]+)\)$/.exec(line);
  if (button !== null) return { kind: 'button', words: button[1]!, url: button[2]! };
  for (const [prefix, kind] of PREFIXES) {
    if (line.startsWith(prefix)) return { kind, words: line.slice(prefix.length), url: '' };
  }
  return { kind: 'paragraph', words: line, url: '' };
}

function escapeHtml(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The words as HTML, with links as anchors. */
function inline(words: string, style = ''): string {
  let html = '';
  let end = 0;
  for (const match of words.matchAll(INLINE)) {
    const url = escapeHtml(match[2] ?? match[3]!);
    html += `${escapeHtml(words.slice(end, match.index))}<a href="${url}"${style}>${escapeHtml(match[1] ?? match[3]!)}</a>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(words.slice(end));
}

function cells(words: string): string[] {
  return words.split(' | ');
}

/** The words as plain text, with links in the form that `link` writes. */
function plain(words: string, link: (label: string, url: string) => string): string {
  return words.replace(INLINE, (whole, label: string | undefined, url: string) =>
    label === undefined ? whole : link(label, url),
  );
}

function renderText(sheet: Sheet, gap: string, rule: string, link: (label: string, url: string) => string) {
  const footer = sheet.blocks.filter((block) => block.kind === 'footer');
  const main = sheet.blocks.filter((block) => block.kind !== 'footer' && block.kind !== 'image');
  const lines = main.map((block) => {
    if (block.kind === 'button') return link(block.words, block.url);
    if (block.kind === 'row') return cells(block.words).join(': ');
    return plain(block.words, link);
  });
  const end = footer.length === 0 ? '' : `\n${rule}\n${footer.map((b) => plain(b.words, link)).join('\n')}`;
  return `${lines.join(gap)}\n${end}`;
}

function page(sheet: Sheet, head: string, body: string, attributes = ''): string {
  const direction = RTL.has(sheet.language) ? ' dir="rtl"' : '';
  return `<!DOCTYPE html><html lang="${sheet.language}"${direction}><head><meta charset="utf-8">${head}</head><body${attributes}>${body}</body></html>`;
}

function image(block: Block, sheet: Sheet): string {
  return `<img src="https://${sheet.domain}/i/mail.png" width="240" alt="${escapeHtml(block.words)}">`;
}

function renderSimple(sheet: Sheet): string {
  const parts = sheet.blocks.map((block) => {
    if (block.kind === 'heading') return `<h2>${inline(block.words)}</h2>`;
    if (block.kind === 'big') return `<p><strong>${inline(block.words)}</strong></p>`;
    if (block.kind === 'row') return `<p>${cells(block.words).map(escapeHtml).join(': <b>')}</b></p>`;
    if (block.kind === 'image') return `<p>${image(block, sheet)}</p>`;
    if (block.kind === 'footer') return `<p><small>${inline(block.words)}</small></p>`;
    if (block.kind === 'button')
      return `<p><a href="${escapeHtml(block.url)}">${escapeHtml(block.words)}</a></p>`;
    return `<p>${inline(block.words)}</p>`;
  });
  return page(sheet, '', parts.join('\n'));
}

function renderTable(sheet: Sheet, isSplit = false): string {
  const split = (words: string) =>
    [...words].map((sign) => `<span style="border:1px solid #bbc;padding:6px">${sign}</span>`).join('');
  const parts = sheet.blocks.map((block) => {
    const { words } = block;
    if (block.kind === 'heading')
      return `<tr><td style="font-size:22px;padding:16px 32px">${inline(words)}</td></tr>`;
    if (block.kind === 'big') {
      const value = isSplit ? split(words) : inline(words);
      return `<tr><td align="center" style="padding:8px 32px"><table role="presentation"><tr><td bgcolor="#f2f4f8" style="font:700 30px Courier,monospace;letter-spacing:4px;padding:14px 24px">${value}</td></tr></table></td></tr>`;
    }
    if (block.kind === 'row') {
      const columns = cells(words).map((cell) => `<td style="padding:4px 8px">${escapeHtml(cell)}</td>`);
      return `<tr><td style="padding:0 24px"><table width="100%"><tr>${columns.join('')}</tr></table></td></tr>`;
    }
    if (block.kind === 'image') return `<tr><td align="center">${image(block, sheet)}</td></tr>`;
    if (block.kind === 'footer') {
      return `<tr><td style="font-size:11px;color:#8a8f98;padding:4px 32px">${inline(words, ' style="color:#8a8f98"')}</td></tr>`;
    }
    if (block.kind === 'button') {
      return `<tr><td align="center" style="padding:20px"><a href="${escapeHtml(block.url)}" target="_blank" style="display:inline-block;background:#1b5cff;color:#fff;padding:12px 28px;border-radius:6px;text-decoration:none">${escapeHtml(words)}</a></td></tr>`;
    }
    return `<tr><td style="padding:8px 32px;font-size:15px">${inline(words)}</td></tr>`;
  });
  const logo = `<tr><td style="padding:24px 32px"><img src="https://${sheet.domain}/img/logo.png" width="96" alt=""></td></tr>`;
  const table = `<table width="100%" bgcolor="#eef0f3"><tr><td align="center"><table width="600" bgcolor="#ffffff" cellpadding="0" cellspacing="0">${logo}${parts.join('')}</table></td></tr></table>`;
  return page(sheet, `<title>${escapeHtml(sheet.title)}</title>`, table, ' style="margin:0"');
}

function renderCard(sheet: Sheet): string {
  const parts = sheet.blocks.map((block) => {
    if (block.kind === 'heading') return `<h1>${inline(block.words)}</h1>`;
    if (block.kind === 'big') return `<div class="box"><span>${inline(block.words)}</span></div>`;
    if (block.kind === 'row')
      return `<div class="row">${cells(block.words)
        .map((c) => `<span>${escapeHtml(c)}</span> `)
        .join('')}</div>`;
    if (block.kind === 'image') return `<div>${image(block, sheet)}</div>`;
    if (block.kind === 'footer') return `<div class="foot">${inline(block.words)}</div>`;
    if (block.kind === 'button')
      return `<div><a class="btn" href="${escapeHtml(block.url)}"><span>${escapeHtml(block.words)}</span></a></div>`;
    return `<div class="p">${inline(block.words)}</div>`;
  });
  const style =
    '<style>.card{max-width:520px;margin:24px auto}.box{font-size:28px;background:#f5f5f5;padding:16px}.btn{background:#0a7d4f;color:#fff;padding:10px 20px}.foot{color:#999;font-size:12px}</style>';
  return page(sheet, style, `<div class="card">${parts.join('')}</div>`);
}

function renderBreaks(sheet: Sheet): string {
  const parts = sheet.blocks.map((block) => {
    if (block.kind === 'button')
      return `&raquo; <a href="${escapeHtml(block.url)}">${escapeHtml(block.words)}</a>`;
    if (block.kind === 'big' || block.kind === 'heading') return `<b>${inline(block.words)}</b>`;
    if (block.kind === 'row') return cells(block.words).map(escapeHtml).join('&nbsp;&nbsp;');
    if (block.kind === 'image') return image(block, sheet);
    return inline(block.words);
  });
  return page(sheet, '', `<div style="font-family:Arial">${parts.join('<br><br>\n')}</div>`);
}

const below = (label: string, url: string) => `${label}:\n${url}`;
const after = (label: string, url: string) => `${label} ( ${url} )`;

/** What each layout of the notation writes. */
const layouts: Record<string, (sheet: Sheet) => { text?: string; html?: string }> = {
  text: (sheet) => ({ text: renderText(sheet, '\n\n', '-- ', below) }),
  dense: (sheet) => ({ text: renderText(sheet, '\n', '----------------------------------------', after) }),
  simple: (sheet) => ({ html: renderSimple(sheet) }),
  breaks: (sheet) => ({ html: renderBreaks(sheet) }),
  card: (sheet) => ({ html: renderCard(sheet) }),
  table: (sheet) => ({ html: renderTable(sheet) }),
  split: (sheet) => ({ html: renderTable(sheet, true) }),
  both: (sheet) => ({ text: renderText(sheet, '\n\n', '', below), html: renderTable(sheet) }),
  pair: (sheet) => ({ text: renderText(sheet, '\n', '', after), html: renderCard(sheet) }),
  markdown: (sheet) => ({
    text: renderText(sheet, '\n\n', '***', (_, url) => `[${url}](${url})`),
    html: renderSimple(sheet),
  }),
};

/** The one value among those marked, or null without any. Throws if they differ. */
function readLabel(name: string, values: string[]): string | null {
  if (new Set(values).size > 1) throw new Error(`${name}: several labels, ${values.join(' and ')}`);
  return values[0] ?? null;
}

/** Persian and full-width digits as ASCII, the other spelling that counts as right. */
function toAsciiDigits(code: string): string {
  return code.normalize('NFKC').replace(/[۰-۹]/g, (digit) => String(digit.codePointAt(0)! - 0x6f0));
}

function buildMail(entry: string): OwnMail {
  const [head, from, subject, ...body] = entry.trim().split('\n');
  const [language, layout, ...words] = head!.split(' ');
  const name = `${language} ${words.join(' ')}`;
  const render = layouts[layout!];
  if (render === undefined || from === undefined || subject === undefined)
    throw new Error(`${name}: not a mail`);
  const clean = (line: string) =>
    line
      .replace(/\{([^}]+)\}/g, '$1')
      .replaceAll('[!', '[')
      .replace(/<!(\S+?)>/g, '$1');
  const links = [...entry.matchAll(/\[![^\]]+\]\(([^)]+)\)|<!(\S+?)>/g)].map(
    (match) => match[1] ?? match[2]!,
  );
  const sheet = {
    blocks: body.map((line) => readBlock(clean(line))),
    language: language!,
    domain: /@([^>]+)>/.exec(from)?.[1] ?? '',
    title: clean(subject),
  };
  const otp = readLabel(
    name,
    [...entry.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!),
  );
  const ascii = otp === null ? null : toAsciiDigits(otp);
  return {
    name,
    language: sheet.language,
    from,
    subject: sheet.title,
    ...render(sheet),
    otp,
    ...(ascii === null || ascii === otp ? {} : { otp_also: [ascii] }),
    magic_link: readLabel(name, links),
  };
}

/** Reads mails in the notation above. */
export function readMails(source: string): OwnMail[] {
  return source.split('\n=== ').slice(1).map(buildMail);
}
