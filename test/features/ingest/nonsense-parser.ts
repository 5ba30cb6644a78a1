/**
 * A parser process that a mail took over: for a mail with a seed in its subject it answers by that seed instead of by
 * the rules, and others as odd-parser.ts does.
 */
import fc from 'fast-check';
import { decodeJob, encodeResult, type ParserJob } from '../../../src/platform/mail/parser-protocol.ts';
import { ONE_FRAME_CONTENT_BYTES } from '../../../src/platform/mail/stored-mail.ts';
import { encodeFrame } from '../../../src/platform/process/frames.ts';
import { openParent } from '../../../src/platform/process/parent.ts';

const parent = openParent((frames) => {
  for (const frame of frames) answer(decodeJob(frame));
});

function answer(job: ParserJob): void {
  const text = 'bytes' in job.raw ? Buffer.from(job.raw.bytes).toString('latin1') : '';
  const subject = /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '';
  const seed = /^nonsense (\d+)$/.exec(subject)?.[1];
  const honest = encodeResult({
    id: job.id,
    summary: summarise(subject),
    isJson: true,
    content: new Uint8Array(),
  });
  if (seed === undefined || job.want === 'headers') {
    parent.send([honest]);
    return;
  }
  parent.send(corrupt(honest, job.id, Number(seed)));
  // The server would wait for the rest of half an answer.
  setTimeout(() => process.exit(5), 20);
}

/**
 * Noise, another head, a changed byte, another id, an answer to another question, too much JSON, two answers, half of
 * one.
 */
function corrupt(honest: Uint8Array, id: number, seed: number): Uint8Array[] {
  const pick = <T>(values: fc.Arbitrary<T>) => fc.sample(values, { seed, numRuns: 1 })[0]!;
  const forms: (() => Uint8Array[])[] = [
    () => [pick(fc.uint8Array({ minLength: 8, maxLength: 100 }))],
    () => [encodeFrame({ id, summary: pick(fc.object()) })],
    () => [encodeFrame(pick(fc.dictionary(fc.string(), fc.jsonValue())))],
    () => [honest.with(pick(fc.nat({ max: honest.length - 1 })), pick(fc.nat({ max: 255 })))],
    () => [
      encodeResult({ id: id + 1, summary: summarise('another'), isJson: true, content: new Uint8Array() }),
    ],
    () => [encodeResult({ id, safeHtml: { doctype: '', html: '<b>', removed: {}, hasDark: false } })],
    () => [
      encodeResult({
        ...{ id, summary: summarise('more than the writer thread compresses'), isJson: true },
        content: new Uint8Array(ONE_FRAME_CONTENT_BYTES + 1),
      }),
    ],
    () => [honest, honest],
    () => [honest.subarray(0, pick(fc.nat({ max: honest.length - 1 })))],
  ];
  return forms[seed % forms.length]!();
}

function summarise(subject: string) {
  return {
    status: 'parsed' as const,
    from: '',
    to: [],
    cc: [],
    subject,
    otp: null,
    otp_confidence: 0,
    magic_link: null,
    links: [],
    has_html: false,
    attachment_count: 0,
    tags: [],
    snippet: '',
    ref: null,
    refs: [],
  };
}
