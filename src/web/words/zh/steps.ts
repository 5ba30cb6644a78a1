import type { Words } from '../dictionary.ts';

/** What an empty list shows. */
export default {
  label: '入门',
  noMail: '还没有邮件',
  noMailHere: '此收件箱没有邮件',
  waiting: '正在等待第一封邮件',
  aboutTrap: '请让应用使用下面的 SMTP 服务器。任何地址都会被接收，邮件到达后会显示在这里。',
  aboutNew: '创建或打开收件箱，即可获得可接收邮件的地址。',
  aboutInbox: '发往此地址的邮件到达后会显示在这里。',
  create: '创建收件箱',
  reference: 'API 参考',
  send: '发送测试邮件',
  sent: (address: string) => `已向 ${address} 发送测试邮件`,
  point: '让应用使用此服务器',
  replaceKey: '请将 YOUR_API_KEY 替换为此账户的 API 密钥（“账户”中的“API 密钥”）。',
  read: '在测试中读取验证码',
  wait: '最多等待验证码 25 秒',
  newest: '最新的邮件',
  command: '命令',
  fields: '验证码在 {code} 中，登录链接在 {link} 中。',
} satisfies Words['steps'];
