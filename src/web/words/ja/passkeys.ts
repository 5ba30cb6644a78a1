import type { Words } from '../dictionary.ts';

export default {
  title: 'パスキー',
  about:
    'パスワードなしで、指紋、顔、または端末の PIN でサインインできます。パスキーは二要素認証も兼ねます。',
  add: 'パスキーを追加',
  none: 'まだありません',
  synced: '同期済み',
  added: (time: string) => `${time}に追加。`,
  used: (time: string) => `最終使用：${time}。`,
  unused: '未使用。',
  otherHost: (host: string) => `${host} のパスキーのため、このアドレスでは使えません。`,
  addTitle: 'パスキーを追加',
  addBody: '保存先（この端末、スマートフォン、セキュリティキー）をブラウザーが尋ねます。',
  addedToast: 'パスキーを追加しました',
  name: '名前',
  nameHint: 'パスキーを見分けるための名前です。',
  rename: '名前を変更',
  renameTitle: 'パスキーの名前を変更',
  renamed: 'パスキーの名前を変更しました',
  removeTitle: (name: string) => `${name} を削除しますか？`,
  removeBody:
    'このパスキーではサインインできなくなります。端末やパスワードマネージャーからも削除してください。',
  removed: 'パスキーを削除しました',
  confirmByPasskey: 'お持ちのパスキーでの確認を求められます。',
  usePasskeyInstead: '代わりにパスキーで確認',
  usePasswordInstead: '代わりにパスワードで確認',
  signIn: 'パスキーでサインイン',
  create: 'パスキーを作成',
  createInstead: '代わりにパスキーを作成',
  createAbout: '指紋、顔、または端末の PIN でサインインできます。',
  elseLink: 'パスキーがないと、次のサインインに新しいリンクが必要です。',
  places: {
    ip_address:
      'パスキーにはホスト名が必要です。このサーバーのアドレスは IP アドレスです。POSTERN_BASE_URL に名前のある https アドレスを設定してください。',
    no_https:
      'パスキーには https が必要です。POSTERN_BASE_URL にこのサーバーの https アドレスを設定してください。',
    elsewhere: 'パスキーは {address} でのみ使えます。',
    old_browser: 'このブラウザーはパスキーに対応していません。',
  },
  problems: {
    not_found:
      'キャンセルされたか、このアドレスのパスキーが見つかりませんでした。もう一度試すか、別の方法でサインインしてください。',
    cancelled: 'キャンセルされたか、時間切れになりました。もう一度試してください。',
    exists: 'この端末にはすでにあなたのパスキーがあります。',
    wrong_address: 'このアドレスではブラウザーがパスキーを使えません。',
    unsupported: 'この端末にはパスキーを保存できません。指紋、顔、または PIN の確認が必要です。',
    failed: 'パスキーを読み取れませんでした。もう一度お試しください。',
  },
} satisfies Words['passkeys'];
