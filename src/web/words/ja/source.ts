import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The tabs Source and Headers of a message. */
export default {
  sides: { title: 'ソースの種類', html: 'HTML', raw: '原文' },
  wrap: '行を折り返す',
  indent: 'インデント',
  copyHtml: 'HTML をコピー',
  copy: 'ソースをコピー',
  htmlCut: '先頭だけを表示しています。全体はダウンロードできます。',
  tooLarge: 'このメッセージは大きすぎるため、全体を読み込めません。先頭は「原文」にあります。',
  rawCut: '先頭だけを表示しています。メッセージ全体はダウンロードできます。',
  htmlSource: 'HTML のソース',
  rawSource: '原文のソース',
  lines: (first: number, last: number) => `${number(first)} ～ ${number(last)} 行目`,
  show: 'この行を表示',
  folded: (count: number) => `${number(count)} 行`,
  copyAll: 'すべてコピー',
  headersCut: (count: number) => `先頭の ${number(count)} 件だけを表示しています。残りはソースにあります。`,
  failed: 'ソースを読み込めませんでした。',
} satisfies Words['source'];
