/**
 * The kinds of elements that are removed from a mail's HTML before it is shown. The dashboard says how many of each there were.
 * Handlers (`onclick`) and `javascript:` links count as scripts, `@import` as a sheet, and a refresh as a redirect.
 */
export const removedElements = {
  form: ['form'],
  field: ['input', 'select', 'textarea', 'button'],
  script: ['script'],
  frame: ['iframe', 'frame', 'object', 'embed', 'applet', 'portal'],
  video: ['video'],
  audio: ['audio', 'bgsound'],
  drawing: ['svg'],
  formula: ['math'],
  sheet: [],
  redirect: [],
} as const;

export type RemovedKind = keyof typeof removedElements;
