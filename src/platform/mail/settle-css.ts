/*
 * A mail's CSS for one choice of light or dark, and for a frame that is as tall as its content. Only looks depend on
 * it: what CSS can load is up to the frame's policy. Each pattern is linear in its input, which is a stranger's.
 */

/** Media conditions that are always and never true, in any list of conditions. */
const TRUE = '(min-width:0)';
const FALSE = '(min-width:999999px)';

const SCHEME_CONDITION = /\(\s*prefers-color-scheme\s*(?::\s*([a-z-]{1,20})\s*)?\)/gi;
const SCHEME_PROPERTY = /(^|[;{\s"'/])((?:supported-)?color-schemes?)\s*:([^;}"']{0,100})/gi;
const VIEWPORT_LENGTH = /(^|[\s:(,*/+-])(\d{0,6}(?:\.\d{1,6})?)([dsl]?vh)\b/gi;

/**
 * CSS pixels of 1vh. The real height of the frame depends on its content, so it can't be the other way round as well.
 */
const VH_PX = 9;

/** Whether the CSS has a look of its own for dark mode. */
export function choosesDark(css: string): boolean {
  return (
    /prefers-color-scheme\s{0,9}:\s{0,9}dark/i.test(css) ||
    [...css.matchAll(SCHEME_PROPERTY)].some(([, , , schemes = '']) => /\bdark\b/i.test(schemes))
  );
}

/** Replaces what asks for the reader's colour scheme by the answer, and heights of the window by pixels. */
export function settleCss(css: string, dark: boolean): string {
  return css
    .replace(SCHEME_CONDITION, (_, asked?: string) =>
      asked === undefined || asked.toLowerCase() === (dark ? 'dark' : 'light') ? TRUE : FALSE,
    )
    .replace(SCHEME_PROPERTY, (_, before: string, name: string, schemes: string) => {
      const chosen = dark && /\bdark\b/i.test(schemes) ? 'dark' : 'light';
      const important = schemes.includes('!important') ? '!important' : '';
      return `${before}${name}:${chosen}${important}`;
    })
    .replace(VIEWPORT_LENGTH, (whole, before: string, number: string) =>
      number === '' ? whole : `${before}${Number(number) * VH_PX}px`,
    );
}
