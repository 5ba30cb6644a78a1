import { number, plural } from '../amounts.ts';

/** The tabs Source and Headers of a message. */
export default {
  sides: { title: 'Source of', html: 'HTML', raw: 'Raw' },
  wrap: 'Wrap lines',
  indent: 'Indent',
  copyHtml: 'Copy HTML',
  copy: 'Copy source',
  htmlCut: 'Only the beginning is shown. Download the HTML for the rest.',
  tooLarge: 'This message is too large to read in full. Raw has its beginning.',
  rawCut: 'Only the beginning is shown. Download the message for the rest.',
  htmlSource: 'HTML source',
  rawSource: 'Raw source',
  lines: (first: number, last: number) => `Lines ${number(first)} to ${number(last)}`,
  show: 'Show these lines',
  folded: (count: number) => plural(count, { one: `${number(count)} line`, other: `${number(count)} lines` }),
  copyAll: 'Copy all',
  headersCut: (count: number) => `Only the first ${number(count)} are shown. The source has the rest.`,
  failed: 'The source could not be loaded.',
};
