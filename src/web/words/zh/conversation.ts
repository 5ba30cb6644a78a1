import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** A conversation, and the dialogs that write an email. */
export default {
  thread: {
    title: (count: number) => `共 ${number(count)} 封邮件的会话`,
    received: '已接收',
    sent: '已发送',
    to: (name: string) => `发给 ${name}`,
    later: '加载后面的邮件',
  },
  letter: {
    about: '邮件将从 {address} 发送。',
    to: '收件人',
    cc: '抄送',
    subject: '主题',
    text: '正文',
    attach: '添加文件…',
    remove: (name: string) => `移除 ${name}`,
    tooMuch: (files: number, bytes: string) => `最多 ${number(files)} 个文件，共 ${bytes}。`,
    gone: '未发送：邮件或其收件箱已被删除。请在关闭前复制正文。',
    lost: (names: string) => `草稿不会保留附件。请重新添加：${names}`,
    send: '发送',
    queued: '邮件已加入发送队列',
  },
  reply: {
    title: '回复',
    about: '从 {address} 发给 {recipient}。',
    all: '回复所有收件人',
  },
  compose: '新邮件',
  forwarding: {
    title: '转发邮件',
    note: '附言',
    noteHint: '添加在邮件上方。',
    way: '原邮件',
    ways: {
      quoted: '引用，不含附件',
      kept: '引用，并保留附件',
      attached: '原样作为附件',
    },
  },
} satisfies Words['conversation'];
