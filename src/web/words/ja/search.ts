import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: '差出人',
    to: 'To の宛先、または届いたアドレス',
    cc: 'Cc の宛先',
    subject: '件名',
    body: '本文',
    inbox: '受信箱のアドレスかラベル',
    code: 'ワンタイムコード',
    filename: '添付ファイルの名前',
    is: '既読か未読か',
    has: '含まれるもの（link はサインインリンク）',
    before: 'この日付（UTC）か ISO 時刻より前に受信',
    after: 'この日付（UTC）か ISO 時刻以降に受信',
    larger: 'これより大きい（バイト数、200k や 2m など）',
    smaller: 'これより小さい（バイト数）',
    tag: 'このタグが付いている',
  },
  days: { today: '今日', yesterday: '昨日', week: '1 週間前', month: '1 か月前' },
  noMatch: {
    title: '一致するメッセージはありません',
    body: 'すべての語とフィルターに一致する必要があります。条件を減らすか、語の一部で試してください。',
    without: (term: string) => `${term} を除く`,
    everywhere: 'すべてのメールを検索',
    searched: (characters: string) => `検索対象：件名、差出人、宛先、コード、本文の先頭 ${characters} 文字。`,
  },
} satisfies Words['search'];
