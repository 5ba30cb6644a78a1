import { joinWithOr } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/*
 * Japanese. Sentences end in です or ます; buttons, titles and states are nouns. A space stands between Japanese and
 * Latin words (`API キー`).
 *
 *   account    アカウント      mail      メール            recipient     宛先
 *   allowlist  許可リスト      member    メンバー          reject        拒否
 *   API key    API キー        message   メッセージ        send on       転送
 *   catch-all  キャッチオール  operator  サーバー管理者    settings      設定
 *   delivery   配信            owner     オーナー          sign in, out  サインイン、サインアウト
 *   inbox      受信箱          plan      プラン            trap          トラップ
 *   log        ログ            suppression  配信停止アドレス  webhook    Webhook
 */
/** A space stands after a Latin word. */
const spaced = (what: string) => (/\w$/.test(what) ? `${what} ` : what);

export default {
  units: ['B', 'KB', 'MB', 'GB'],
  unknownSender: '差出人不明',
  close: '閉じる',
  cancel: 'キャンセル',
  done: '完了',
  add: '追加',
  remove: '削除',
  removeOne: (what: string) => `${what} を削除`,
  delete: '削除',
  turnOn: 'オンにする',
  turnOff: 'オフにする',
  loadMore: 'さらに読み込む',
  loading: '読み込み中',
  stillLoading: 'まだ読み込んでいます。サーバーの応答に普段より時間がかかっています。',
  outOf: (part: string, whole: string) => `${part} / ${whole}`,
  copy: 'コピー',
  copyOne: (what: string) => `${spaced(what)}をコピー`,
  copied: (what: string) => `${spaced(what)}をコピーしました`,
  failures: {
    offline: 'サーバーが応答していません。',
    server: '問題が発生しました。',
    page: 'このページで問題が発生しました。',
  },
  notLoaded: { title: 'このページを読み込めませんでした', reload: '再読み込み' },
  lost: {
    title: '接続が切れました。',
    body: '表示が古い可能性があります。再接続中…',
  },
  refusing: { title: '新着メールを受け付けていません。', body: 'サーバーの準備ができていません。' },
  plans: {
    none: 'このサーバーには、この機能を含むプランがありません。',
    available: (names: readonly string[]) =>
      `${joinWithOr(names)} プランで利用できます。プランの変更はサーバー管理者に依頼してください。`,
  },
  password: {
    password: 'パスワード',
    current: '現在のパスワード',
    new: '新しいパスワード',
    show: '表示',
    hide: '非表示',
    showOne: (label: string) => `${label}を表示`,
    rules: (least: number) => `${least} 文字以上で、よく使われるものは避けてください。`,
  },
  places: {
    usage: 'プランと使用量',
    trap: 'トラップ',
    faults: 'SMTP エラー',
    keys: 'API キー',
    webhooks: 'Webhook',
    rules: 'ルール',
    domains: 'ドメイン',
    senders: '送信者',
    sending: '送信',
    refused: '拒否されたメール',
    members: 'メンバー',
    audit: '監査ログ',
    'sign-in': 'プロフィール',
    preferences: '表示と動作',
    health: '稼働状況',
    accounts: 'アカウント',
    'all-refused': '拒否されたすべてのメール',
    log: 'ログ',
    'all-audit': '全体の監査ログ',
    settings: '設定',
    doctor: '診断',
  },
  shell: {
    skip: '本文へ移動',
    sidebar: 'サイドバー',
    sections: 'セクション',
    pages: 'ページ一覧',
    page: 'ページ',
    mail: 'メール',
    account: 'アカウント',
    server: 'サーバー',
    capture: 'キャプチャ',
    profile: (email: string) => `${email}：プロフィール`,
    notify: '通知をオンにする',
    notifyOff: '通知をオフにする',
    backToMail: 'メールに戻る',
    notFound: 'ページが見つかりません',
  },
  themes: { light: 'テーマ：ライト', dark: 'テーマ：ダーク', system: 'テーマ：システム' },
  palette: {
    title: '移動',
    search: '受信箱、ページ、コマンドを検索',
    results: '検索結果',
    allMail: 'すべてのメール',
    notify: '通知のオン / オフ',
  },
  help: {
    title: 'キーボードショートカット',
    messages: 'メッセージ',
    next: '次のメッセージ',
    previous: '前のメッセージ',
    open: 'メッセージを開く',
    back: '一覧に戻る',
    copyCode: 'コードをコピー',
    copyOther: 'ほかの値をコピー',
    addTag: 'タグを追加',
    fullPage: '全画面表示',
    foldList: '一覧を折りたたむ',
    undo: '元に戻す',
    markRead: '既読 / 未読にする',
    delete: '削除',
    select: '選択',
    general: '全般',
    search: 'メッセージを検索',
    palette: 'コマンドパレット',
    theme: 'テーマの切り替え',
    escape: '閉じる、または選択を解除',
    filters: '検索フィルター',
    from: (name: string) => `差出人に「${name}」を含む`,
    subject: (text: string) => `件名に「${text}」を含む`,
    unread: '未読メッセージ',
    hasCode: 'コードを含むメッセージ',
  },
} satisfies Words['frame'];
