/** HTML built from text. Everything that is not `Html` is escaped. */

export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + renderPart(parts[index])).join(''));
}

function renderPart(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(renderPart).join('');
  return part === false || part === null || part === undefined ? '' : Bun.escapeHTML(String(part));
}

/** Renders text of the document: backticks mark code, an empty line starts a paragraph. */
export function renderProse(text: string): Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${renderInline(paragraph)}</p>`);
}

export function renderInline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** JSON with different colours for keys, strings and other values. */
export function renderJson(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? '';
  const parts = text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null|-?\d[\d.e+-]*)\b)/);
  return html`<pre><code>${parts.map((part, index) => (index % 2 === 0 ? part : colourToken(part)))}</code></pre>`;
}

function colourToken(token: string): Html {
  const kind = token.startsWith('"') ? (token.endsWith(':') ? 'key' : 'text') : 'value';
  return html`<span class="${kind}">${token}</span>`;
}
