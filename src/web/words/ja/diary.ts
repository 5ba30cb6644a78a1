import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** Mail that SMTP rejected. */
export default {
  meanings: {
    unknown_recipient: 'このアドレスの受信箱がありません。つづりを確認するか、受信箱を作成してください。',
    no_account:
      'サーバーにはまだアカウントがありません。以前あった場合は、正しいディスクがマウントされているか確認してください。',
    foreign_network: 'クライアントのネットワークはこのトラップを利用できません。',
    relay_refused: 'このサーバーはそのドメイン宛てのメールを受け付けません。',
    domain_put_off:
      'ドメインの DNS レコードがありません。送信側は数日間再試行します。「ドメイン」を確認してください。',
    domain_stopped: 'ドメインの確認が無効になりました。「ドメイン」を確認してください。',
    account_put_off: 'アカウントが停止されています。送信側は数日間再試行します。',
    account_stopped: 'アカウントの停止が長引いたため、メールを保留できなくなりました。',
    trap_full: 'トラップの受信箱がプランの上限に達しました。不要なものを削除してください。',
    trap_closed: '接続中に API キーが失効したか、アカウントが停止されました。',
    wrong_key: 'SMTP パスワードがこのサーバーの API キーではありません。',
    not_a_trap: 'API キーのアカウントはトラップではありません。',
    account_suspended: 'API キーのアカウントが有効ではありません。',
    starttls_off:
      'クライアントは TLS を要求しますが、ここでは無効です。クライアントの TLS を無効にするか、POSTERN_SMTP_STARTTLS=on を設定してください。',
    auth_in_clear:
      'クライアントが TLS なしで認証しようとしました。クライアントで STARTTLS か TLS を有効にしてください。',
    auth_in_mail: 'クライアントがメッセージの送信中に認証しようとしました。',
    too_many_wrong_keys: 'このアドレスからの誤った SMTP パスワードが多すぎます。',
    reports_only: 'そのアドレスは配信レポートだけを受け付けますが、これは配信レポートではありませんでした。',
    too_many_recipients: '1 通の宛先が多すぎます。残りは送信側が再試行します。',
    too_large: 'メッセージがこのサーバーの上限サイズを超えています。',
    looping: 'メッセージがループしています。送り返している転送設定がないか確認してください。',
    bare_dot_line: 'SMTP スマグリングに悪用できる不正な改行がメッセージに含まれています。',
    store_full: 'ディスクの空きがほとんどありませんでした。送信側が再試行します。',
    cut_off: 'メッセージ全体が届く前に接続が切れました。多くの送信側は再試行します。',
    fault: '内部エラーです。送信側が再試行します。詳しくはログを確認してください。',
    server_full: 'すべての SMTP 接続が使用中でした。送信側が再試行します。',
    made_room: '別の接続のためにこの接続を閉じました。送信側が再試行します。',
    shutting_down: 'サーバーが終了処理中でした。送信側が再試行します。',
    too_many_connections: 'この送信元からの同時接続が多すぎます。送信側が再試行します。',
    too_many_connects: 'この送信元からの 1 分あたりの新規接続が多すぎます。送信側が再試行します。',
    too_many_faults: '1 つの接続に不正なコマンドか不明な宛先が多すぎます。',
    session_too_long: '接続時間が長すぎました。',
    fault_on_demand: 'トラップの SMTP エラールールによるものです。',
    too_slow: 'メッセージの受信が遅すぎました。',
  },
  title: '拒否されたメール',
  about: (days: number) =>
    `このアカウント宛てで拒否されたメールとその理由です。${number(days)} 日間保存されます。`,
  empty: 'このアカウント宛てで拒否されたメールはありません。',
  emptyForOperator:
    'このアカウント宛てで拒否されたメールはありません。存在しないアドレス宛てのメールは「サーバー」の「拒否されたすべてのメール」にあります。',
  allTitle: '拒否されたすべてのメール',
  allAbout:
    '宛先を問わず、拒否されたメールです。似た項目はまとめられ、大量に届いたときは一部だけが残ります。',
  allEmpty: 'このサーバー宛てで拒否されたメールはありません。',
  none: '拒否されたメールはありません',
  dropped: '切断',
  noRecipient: '宛先なし',
  span: (first: string, last: string) => `${first} ～ ${last}`,
  from: '差出人 {from}、経由 {client}：{reply}',
  report: '<>（配信レポート）',
} satisfies Words['diary'];
