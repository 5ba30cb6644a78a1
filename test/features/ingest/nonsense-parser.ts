/**
 * A parser process that a mail took over: for a mail with a seed in its subject it answers by that seed instead of by
 * the rules, and others as odd-parser.ts does.
 */
import fc from 'fast-check';
import { decodeJob, encodeResult, type ReceivedJob } from '../../../src/platform/mail/parser-protocol.ts';
import { ONE_FRAME_CONTENT_BYTES } from '../../../src/platform/mail/stored-mail.ts';
import { encodeFrame } from '../../../src/platform/process/frames.ts';
import { openParent } from '../../../src/platform/process/parent.ts';
import { makeStorable } from '../../plain-mail.ts';

const parent = openParent((frames) => {
  for (const frame of frames) answer(decodeJob(frame));
});

function answer(job: ReceivedJob): void {
  const text = 'bytes' in job.raw ? Buffer.from(job.raw.bytes).toString('latin1') : '';
  const subject = /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '';
  const seed = /^nonsense (\d+)$/.exec(subject)?.[1];
  const honest = encodeResult({ id: job.id, ...makeStorable(subject) });
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
    () => [encodeResult({ id: id + 1, ...makeStorable('another') })],
    () => [encodeResult({ id, safeHtml: { doctype: '', html: '<b>', removed: {}, hasDark: false } })],
    () => [
      encodeResult({
        id,
        ...makeStorable('more than the writer thread compresses'),
        content: new Uint8Array(ONE_FRAME_CONTENT_BYTES + 1),
      }),
    ],
    () => [honest, honest],
    () => [honest.subarray(0, pick(fc.nat({ max: honest.length - 1 })))],
  ];
  return forms[seed % forms.length]!();
}
