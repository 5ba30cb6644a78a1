import { joinWithOr } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/*
 * Simplified Chinese. Short and without 您 where it reads well; full-width punctuation; a space stands between Chinese
 * and Latin words (`API 密钥`).
 *
 *   account    账户        mail      邮件        recipient     收件人
 *   allowlist  允许列表    member    成员        reject        拒收
 *   API key    API 密钥    message   邮件        send on       转发
 *   catch-all  全收        operator  服务器管理员  settings    设置
 *   delivery   投递        owner     所有者      sign in, out  登录、退出登录
 *   inbox      收件箱      plan      套餐        trap          邮件陷阱
 *   log        日志        suppression  停发地址  webhook      Webhook
 */
/** A space stands before a Latin word. */
const spaced = (what: string) => (/^\w/.test(what) ? ` ${what}` : what);

export default {
  units: ['B', 'KB', 'MB', 'GB'],
  unknownSender: '未知发件人',
  close: '关闭',
  cancel: '取消',
  done: '完成',
  add: '添加',
  remove: '移除',
  removeOne: (what: string) => `移除 ${what}`,
  delete: '删除',
  turnOn: '开启',
  turnOff: '关闭',
  loadMore: '加载更多',
  loading: '正在加载',
  stillLoading: '仍在加载。服务器的响应比平时慢。',
  outOf: (part: string, whole: string) => `${part} / ${whole}`,
  copy: '复制',
  copyOne: (what: string) => `复制${spaced(what)}`,
  copied: (what: string) => `已复制${spaced(what)}`,
  failures: {
    offline: '服务器没有响应。',
    server: '出错了。',
    page: '此页面出错了。',
  },
  notLoaded: { title: '无法加载此页面', reload: '重新加载' },
  lost: { title: '连接已断开。', body: '显示的内容可能已过时，正在重新连接…' },
  refusing: { title: '新邮件被拒收。', body: '服务器尚未就绪。' },
  plans: {
    none: '此服务器的所有套餐均不包含此功能。',
    available: (names: readonly string[]) =>
      `${joinWithOr(names)} 套餐提供此功能。如需更换套餐，请联系服务器管理员。`,
  },
  password: {
    password: '密码',
    current: '当前密码',
    new: '新密码',
    show: '显示',
    hide: '隐藏',
    showOne: (label: string) => `显示${label}`,
    rules: (least: number) => `至少 ${least} 个字符，且不能是常见密码。`,
  },
  places: {
    usage: '套餐与用量',
    trap: '邮件陷阱',
    faults: 'SMTP 故障',
    keys: 'API 密钥',
    webhooks: 'Webhook',
    rules: '规则',
    domains: '域名',
    senders: '发件人',
    sending: '发送',
    refused: '拒收的邮件',
    members: '成员',
    audit: '审计日志',
    'sign-in': '个人资料',
    preferences: '偏好设置',
    health: '运行状况',
    accounts: '账户',
    'all-refused': '所有拒收的邮件',
    log: '日志',
    'all-audit': '全部审计日志',
    settings: '设置',
    doctor: '诊断',
  },
  shell: {
    skip: '跳到正文',
    sidebar: '侧边栏',
    sections: '分区',
    pages: '页面列表',
    page: '页面',
    mail: '邮件',
    account: '账户',
    server: '服务器',
    capture: '捕获',
    profile: (email: string) => `${email}：个人资料`,
    notify: '开启通知',
    notifyOff: '关闭通知',
    backToMail: '返回邮件',
    notFound: '找不到页面',
  },
  themes: { light: '主题：浅色', dark: '主题：深色', system: '主题：跟随系统' },
  palette: {
    title: '前往',
    search: '搜索收件箱、页面和命令',
    results: '搜索结果',
    allMail: '所有邮件',
    notify: '开启或关闭通知',
  },
  help: {
    title: '键盘快捷键',
    messages: '邮件',
    next: '下一封邮件',
    previous: '上一封邮件',
    open: '打开邮件',
    back: '返回列表',
    copyCode: '复制验证码',
    copyOther: '复制其他内容',
    addTag: '添加标签',
    fullPage: '全页显示',
    foldList: '收起列表',
    undo: '撤销',
    markRead: '标为已读或未读',
    delete: '删除',
    select: '选择',
    general: '通用',
    search: '搜索邮件',
    palette: '命令面板',
    theme: '切换主题',
    escape: '关闭或取消选择',
    filters: '搜索筛选',
    from: (name: string) => `发件人包含“${name}”`,
    subject: (text: string) => `主题包含“${text}”`,
    unread: '未读邮件',
    hasCode: '包含验证码的邮件',
  },
} satisfies Words['frame'];
