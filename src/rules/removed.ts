/**
 * What is taken out of a mail's HTML before it is shown, by kind, with its elements. The dashboard says how many of each.
 * Handlers (`onclick`) and `javascript:` links count as scripts, `@import` as a style sheet, a refresh as a redirect.
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
