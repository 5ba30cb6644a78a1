/**
 * A parser process that a mail took over: for a mail with a word in its subject it sends what keeps the main thread
 * busy, or tells of work that never ends. It answers others as odd-parser.ts does.
 */
import { decodeJob, encodeResult, type ReceivedJob } from '../../../src/platform/mail/parser-protocol.ts';
import { encodeFrame, HEARTBEAT } from '../../../src/platform/process/frames.ts';
import { openParent } from '../../../src/platform/process/parent.ts';
import { makeStorable } from '../../plain-mail.ts';

const parent = openParent((frames) => {
  for (const frame of frames) run(decodeJob(frame));
});

const MIB = 1024 * 1024;

function run(job: ReceivedJob): void {
  const text = 'bytes' in job.raw ? Buffer.from(job.raw.bytes).toString('latin1') : '';
  const subject = /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '';
  const word = /^FLOOD (.*)$/.exec(subject)?.[1];
  if (word === undefined || job.want === 'headers') {
    const mail = makeStorable(subject);
    mail.summary.status = word === undefined ? 'parsed' : 'failed';
    parent.send([encodeResult({ id: job.id, ...mail })]);
    return;
  }
  floods[word]!(job.id);
}

const floods: Record<string, (id: number) => void> = {
  // 32 MiB of JSON, the most expensive to read.
  head: (id) => parent.send([frame(`{"id":${id},"report":${lists(32 * MIB)}}`)]),
  // As large as a head may be.
  'full head': (id) => {
    const rest = `{"id":${id},"report":}`.length;
    parent.send([frame(`{"id":${id},"report":${lists(MIB - rest)}}`)]);
  },
  recipients: (id) => {
    const recipient = { addresses: [1], action: 'failed', status: null, text: '' };
    parent.send([encodeFrame({ id, report: { recipients: Array(15_000).fill(recipient) } })]);
  },
  heartbeats: () => repeat(Buffer.concat(Array(20_000).fill(HEARTBEAT))),
  pulse: () => setInterval(() => parent.send([HEARTBEAT]), 300),
  answers: (id) => repeat(Buffer.concat(Array(5_000).fill(encodeFrame({ id, report: null })))),
  stderr: () => {
    for (;;) process.stderr.write('a line of a forged log\n'.repeat(4_000));
  },
  // A frame that is announced and never ends.
  bytes: (id) => {
    const first = Buffer.from(encodeFrame({ id, has_attachment: true }));
    first.writeUInt32LE(300 * MIB, 0);
    parent.send([first]);
    repeat(new Uint8Array(MIB));
  },
};

function lists(bytes: number): string {
  return `[${'[],'.repeat(bytes / 3 - 3)}[]]`;
}

function frame(json: string): Uint8Array {
  const bytes = Buffer.alloc(8 + json.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt32LE(json.length, 4);
  bytes.write(json, 8, 'latin1');
  return bytes;
}

/** Sends without end, but never more than the channel takes. */
function repeat(bytes: Uint8Array): void {
  parent.send([bytes]);
  setTimeout(() => repeat(bytes), 2);
}
