import type { Words } from '../dictionary.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  tokens: {
    from: '发件人',
    to: 'To 中的收件人，或邮件送达的地址',
    cc: 'Cc 中的收件人',
    subject: '主题',
    body: '正文',
    inbox: '收件箱的地址或备注名',
    code: '一次性验证码',
    filename: '附件的名称',
    is: '已读或未读',
    has: '包含的内容；link 指登录链接',
    before: '在某日期（UTC）或 ISO 时间之前收到',
    after: '在某日期（UTC）或 ISO 时间当时或之后收到',
    larger: '大于此字节数，例如 200k 或 2m',
    smaller: '小于此字节数',
    tag: '带有此标签',
  },
  days: { today: '今天', yesterday: '昨天', week: '一周前', month: '一个月前' },
  noMatch: {
    title: '没有匹配的邮件',
    body: '所有词语和筛选条件都必须匹配。请减少条件，或只输入词语的一部分。',
    without: (term: string) => `去掉 ${term}`,
    everywhere: '在所有邮件中搜索',
    searched: (characters: string) =>
      `搜索范围：主题、发件人、收件人、验证码以及正文的前 ${characters} 个字符。`,
  },
} satisfies Words['search'];
