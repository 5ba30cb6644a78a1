import type { Words } from '../dictionary.ts';

/** Signing in, signing up, and links that work once. */
export default {
  signIn: 'サインイン',
  signInInstead: '既存のアカウントでサインイン',
  createAccount: 'アカウントを作成',
  createAnAccount: '新しいアカウントを作成',
  inboxesAt: (domain: string, plan: string) => `${domain} の受信箱（${plan} プラン）。`,
  sessionEnded: 'セッションが終了しました。もう一度サインインすると、続きから再開できます。',
  email: 'メールアドレス',
  code: 'コード',
  codeHint: '認証アプリのコード、またはリカバリーコードを入力してください。',
  cannotSignIn:
    'サインインできない場合は、アカウントのオーナーに「メンバー」からリンクを発行してもらってください。サーバー管理者は {command} で発行できます。',
  join: '参加',
  joinAccount: (account: string) => `${account} に参加`,
  joinAbout: (email: string) =>
    `${email} でサインインしています。パスワードは変わらず、アカウントは切り替えて使えます。`,
  choosePassword: 'パスワードの設定',
  chooseNewPassword: '新しいパスワードの設定',
  invitedAsOwner: (account: string) => `${account} にオーナーとして招待されています。`,
  invitedAsMember: (account: string) => `${account} にメンバーとして招待されています。`,
  returning: (account: string) => `この一度限りのリンクで ${account} に再びサインインできます。`,
  setUp: 'Postern のセットアップ',
  setUpAbout: 'このサーバーを管理するアカウントを作成します。',
  setUpKnown: 'このサーバーの管理者のサインイン方法を選んでください。',
  continue: '続ける',
  badLink: 'このリンクは使えません',
  backToSignIn: 'サインインに戻る',
  noAccess: 'アクセスできません',
  accountIs: {
    active: 'このアカウントは有効です',
    unverified: 'このアカウントは未確認です',
    suspended: 'このアカウントは停止されています',
    inactive: 'このアカウントは無効です',
  },
  notUsable: (account: string) => `${account} は利用できません。サーバー管理者に問い合わせてください。`,
  switchTo: (account: string) => `${account} に切り替える`,
  signOut: 'サインアウト',
  singleSignOn: 'シングルサインオンでサインイン',
  continueWithSingleSignOn: 'シングルサインオンで続行',
  oidcProblems: {
    unreachable:
      'ID プロバイダーに接続できません。パスワードでサインインするか、後でもう一度お試しください。',
    refused:
      'ID プロバイダーの応答が拒否されました。もう一度お試しください。続く場合はサーバー管理者にお問い合わせください。',
    expired: 'このサインインは時間がかかりすぎたか、すでに使われています。もう一度お試しください。',
    unverified: 'ID プロバイダーがメールアドレスを確認していません。',
    not_allowed: 'ここへのサインインは許可されていません。アカウントのオーナーに招待を依頼してください。',
    not_connected:
      'このメールアドレスのアカウントはありますが、シングルサインオンと連携していません。招待リンクを開くか、パスワードでサインインして「プロフィール」でシングルサインオンを連携してください。',
    other_email:
      'ID プロバイダーのメールアドレスが、招待されたものと異なります。招待はまだ有効です。招待されたメールアドレスでサインインするか、別の方法で続行してください。',
    other_person:
      'このメールアドレスは ID プロバイダーでは別の人のものです。先にオーナーがそのメンバーを削除する必要があります。',
  },
} satisfies Words['door'];
