import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The tabs Source and Headers of a message. */
export default {
  sides: { title: '源代码类型', html: 'HTML', raw: '原文' },
  wrap: '自动换行',
  indent: '缩进',
  copyHtml: '复制 HTML',
  copy: '复制源代码',
  htmlCut: '仅显示开头部分。下载 HTML 可得到全部内容。',
  tooLarge: '此邮件过大，无法完整读取。其开头在“原文”中。',
  rawCut: '仅显示开头部分。下载邮件可得到全部内容。',
  htmlSource: 'HTML 源代码',
  rawSource: '原始源代码',
  lines: (first: number, last: number) => `第 ${number(first)} 至 ${number(last)} 行`,
  show: '显示这些行',
  folded: (count: number) => `${number(count)} 行`,
  copyAll: '全部复制',
  headersCut: (count: number) => `仅显示前 ${number(count)} 项，其余在源代码中。`,
  failed: '无法加载源代码。',
} satisfies Words['source'];
