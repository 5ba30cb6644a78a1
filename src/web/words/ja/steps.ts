import type { Words } from '../dictionary.ts';

/** What an empty list shows. */
export default {
  label: 'はじめに',
  noMail: 'メールはまだありません',
  noMailHere: 'この受信箱にメールはありません',
  waiting: '最初のメールを待っています',
  aboutTrap:
    'アプリの送信先を下の SMTP サーバーにしてください。どのアドレスも受け付け、届いたメールはここに表示されます。',
  aboutNew: '受信箱を作成するか開くと、メールを受け取れるアドレスがわかります。',
  aboutInbox: 'このアドレスに届いたメールはここに表示されます。',
  create: '受信箱を作成',
  reference: 'API リファレンス',
  send: 'テストメールを送信',
  sent: (address: string) => `${address} にテストメールを送信しました`,
  point: 'アプリの送信先をこのサーバーに設定',
  replaceKey:
    'YOUR_API_KEY をこのアカウントの API キーに置き換えてください（「アカウント」の「API キー」）。',
  read: 'テストでコードを読み取る',
  wait: 'コードを最大 25 秒待つ',
  newest: '最新のメッセージ',
  command: 'コマンド',
  fields: 'コードは {code}、サインインリンクは {link} にあります。',
  newInbox: {
    create: '作成してアドレスをコピー',
    addressHint: '空欄にするとランダムなアドレスになります。',
    random: 'ランダム',
    domain: 'ドメイン',
    shared: (domain: string) => `${domain}（共用）`,
    label: 'ラベル',
    labelHint: 'このアカウントだけに表示されます。',
    labelExample: '例：登録テスト',
    public: '公開',
    publicHint: 'アドレスを知っている人は誰でも、コード、リンク、件名をキーなしで読めます。',
    taken: 'このアドレスは使われています。',
    own: 'このアドレスの受信箱はすでにあります。',
  },
} satisfies Words['steps'];
