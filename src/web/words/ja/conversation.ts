import { number } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/** A conversation, and the dialogs that write an email. */
export default {
  thread: {
    title: (count: number) => `${number(count)} 件のメッセージの会話`,
    received: '受信',
    sent: '送信',
    to: (name: string) => `宛先: ${name}`,
    later: '以降のメッセージを読み込む',
  },
  letter: {
    about: 'メッセージは {address} から送信されます。',
    to: '宛先',
    cc: 'Cc',
    subject: '件名',
    text: '本文',
    attach: 'ファイルを添付…',
    remove: (name: string) => `${name} を削除`,
    tooMuch: (files: number, bytes: string) => `ファイルは ${number(files)} 件、合計 ${bytes} までです。`,
    gone: '送信されませんでした。メッセージまたは受信箱が削除されています。閉じる前に本文をコピーしてください。',
    lost: (names: string) => `下書きには添付ファイルは保存されません。もう一度添付してください: ${names}`,
    send: '送信',
    queued: 'メッセージを送信待ちに入れました',
  },
  reply: {
    title: '返信',
    about: '{address} から {recipient} へ送信されます。',
    all: '全員に返信',
  },
  compose: '新規メッセージ',
  forwarding: {
    title: 'メッセージを転送',
    note: 'メモ',
    noteHint: 'メッセージの上に追加されます。',
    way: '元のメッセージ',
    ways: {
      quoted: '引用する（添付ファイルなし）',
      kept: '引用する（添付ファイルあり）',
      attached: 'そのまま添付する',
    },
  },
} satisfies Words['conversation'];
