/*
 * Adapts a mail's CSS to the frame that shows it: to one choice of light or dark, and to a frame that is as tall as
 * its content. Only looks depend on this: the frame's policy decides what CSS can load. The CSS is a stranger's, so
 * each pattern takes linear time.
 */

/** Media conditions that are always true and never true, wherever they are in a list of conditions. */
const TRUE = '(min-width:0)';
const FALSE = '(min-width:999999px)';

const SCHEME_CONDITION = /\(\s*prefers-color-scheme\s*(?::\s*([a-z-]{1,20})\s*)?\)/gi;
const SCHEME_PROPERTY = /(^|[;{\s"'/])((?:supported-)?color-schemes?)\s*:([^;}"']{0,100})/gi;
const VIEWPORT_LENGTH = /(^|[\s:(,*/+-])(\d{0,6}(?:\.\d{1,6})?)([dsl]?vh)\b/gi;

/** CSS pixels of 1vh. It is fixed, because the height of the frame depends on its content. */
const VH_PX = 9;

/** Whether the CSS has its own look for dark mode. */
export function hasDarkScheme(css: string): boolean {
  return (
    /prefers-color-scheme\s{0,9}:\s{0,9}dark/i.test(css) ||
    [...css.matchAll(SCHEME_PROPERTY)].some(([, , , schemes = '']) => /\bdark\b/i.test(schemes))
  );
}

/**
 * Replaces conditions on the reader's colour scheme with their answers, and heights relative to the window with
 * pixels.
 */
export function resolveCss(css: string, dark: boolean): string {
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
