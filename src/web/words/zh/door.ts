import type { Words } from '../dictionary.ts';

/** Signing in, signing up, and links that work once. */
export default {
  signIn: '登录',
  signInInstead: '使用已有账户登录',
  createAccount: '创建账户',
  createAnAccount: '创建新账户',
  inboxesAt: (domain: string, plan: string) => `${domain} 的收件箱，${plan} 套餐。`,
  sessionEnded: '会话已结束。重新登录后可从原处继续。',
  email: '邮箱地址',
  forgotten: '忘记密码？请账户所有者在“成员”中生成链接；服务器管理员可运行 {command}。',
  join: '加入',
  joinAccount: (account: string) => `加入 ${account}`,
  joinAbout: (email: string) => `当前以 ${email} 登录。密码保持不变，可以在各账户之间切换。`,
  choosePassword: '设置密码',
  invitedAsOwner: (account: string) => `你受邀以所有者身份加入 ${account}。`,
  invitedAsMember: (account: string) => `你受邀以成员身份加入 ${account}。`,
  setUp: '设置 Postern',
  setUpAbout: '这将创建管理此服务器的账户。',
  continue: '继续',
  badLink: '此链接无效',
  backToSignIn: '返回登录',
  noAccess: '无权访问',
  accountIs: {
    active: '此账户正常',
    unverified: '此账户未验证',
    suspended: '此账户已停用',
    inactive: '此账户未启用',
  },
  notUsable: (account: string) => `${account} 无法使用。请联系服务器管理员。`,
  switchTo: (account: string) => `切换到 ${account}`,
  signOut: '退出登录',
} satisfies Words['door'];
