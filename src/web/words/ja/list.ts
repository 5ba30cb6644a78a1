import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** The sidebar's inboxes, and the list of messages. */
export default {
  inboxes: {
    title: '受信箱',
    search: '受信箱を検索',
    new: '新しい受信箱',
    unread: (_: number) => '件未読',
    public: '公開',
    catchAll: 'キャッチオール',
    noMatch: '一致する受信箱はありません',
    none: '受信箱はまだありません',
    noneInTrap: '任意のアドレスにメッセージを送ると作成されます。',
    noneBody: '受信箱を作成すると、メールを受け取れるアドレスができます。',
    delete: '受信箱を削除',
    deleteTitle: 'この受信箱を削除しますか？',
    deleteBody:
      '{address} はメールを受信しなくなり、メッセージも削除されます。アドレスはこのアカウント用に確保されるため、あとで同じ受信箱を作成できます。',
    deleted: '受信箱を削除しました',
  },
  head: {
    compose: '新規メッセージ',
    inbox: '受信箱',
    comfortable: '標準の行間',
    compact: 'コンパクトな行間',
    markAll: 'すべて既読にする',
    deleteAll: 'すべて削除',
    held: (count: number) => `新着 ${number(count)} 件`,
    states: {
      live: 'リアルタイム更新中',
      connecting: '接続中…',
      lost: '切断されました。再接続中…',
    },
  },
  panes: {
    sidebar: 'サイドバーの幅',
    list: 'メッセージ一覧の幅',
    drag: 'ドラッグして幅を変更',
  },
  address: 'アドレス',
  label: 'メッセージ（新しい順）',
  select: (subject: string) => `「${subject}」を選択`,
  selectOne: 'メッセージを選択',
  unread: '未読：',
  noSubject: '（件名なし）',
  to: (recipient: string) => `宛先 ${recipient}`,
  tags: (tags: string) => `タグ：${tags}`,
  link: 'リンク',
  attachments: (count: number) => `添付ファイル ${number(count)} 件`,
  code: (code: string) => `コード ${code}`,
  copyCode: (code: string) => `コード ${code} をコピー`,
  markRead: '既読にする',
  markUnread: '未読にする',
  selection: {
    title: '選択したメッセージ',
    count: (count: number) => `${number(count)} 件選択中`,
    all: (count: number) => `${number(count)} 件すべて選択`,
    clear: '選択を解除',
  },
  search: {
    title: 'メールを検索',
    clear: '検索をクリア',
    suggestions: '候補',
    filters: { unread: '未読', code: 'コード', link: 'リンク', attachment: '添付ファイル' },
    misread: {
      unknown: (token: string) => `「${token}:」という条件はありません。文字列として検索しました。`,
      choice: (token: string, choices: string) =>
        `「${token}:」には ${choices} のどれかを指定します。文字列として検索しました。`,
      time: (token: string) =>
        `「${token}:」には 2026-11-22 のような日付か ISO 時刻を指定します。文字列として検索しました。`,
      size: (token: string) =>
        `「${token}:」には 2000、200k、2m のようなバイト数を指定します。文字列として検索しました。`,
    },
  },
  failed: 'メッセージを読み込めませんでした',
  tryAgain: '再試行',
  empty: 'メッセージはまだありません',
  emptyBody: '新着メッセージはここに表示されます。',
  deleted: {
    messages: (count: number) => `${number(count)} 件のメッセージを削除しました`,
    copies: (count: number) => `宛先 ${number(count)} 件分のメッセージを削除しました`,
    all: 'すべてのメッセージを削除しました',
    matching: '一致するメッセージをすべて削除しました',
    askTitle: (count: number) => `${number(count)} 件のメッセージを削除しますか？`,
    askBody: '削除が終わるまでこのページを閉じないでください。',
  },
  markedRead: (count: number) => `${number(count)} 件のメッセージを既読にしました`,
  notifications: {
    on: '通知をオンにしました',
    off: '通知をオフにしました',
    missing: 'このブラウザーは通知に対応していません',
    blocked: '通知がブロックされています。ブラウザーの設定でこのサイトの通知を許可してください。',
  },
} satisfies Words['list'];
