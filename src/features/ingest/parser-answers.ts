import { z } from 'zod';
import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import { encodeJob, type ParserJob, type ParserResult } from '../../platform/mail/parser-protocol.ts';
import { ONE_FRAME_CONTENT_BYTES } from '../../platform/mail/stored-mail.ts';
import type { Frame } from '../../platform/process/frames.ts';
import type { Protocol } from '../../platform/process/watched-process.ts';
import { type RemovedKind, removedElements } from '../../rules/removed.ts';
import { Findings } from '../checks/wire.ts';
import { isSummary } from './summary-check.ts';

/*
 * The schema of a parser process's answers. A hostile mail may have taken the process over, so each answer is checked.
 * After a wrong answer the process is killed, and only the mails that it holds are affected.
 */

const texts = z.array(z.string());

const report = z.strictObject({
  recipients: z.array(
    z.strictObject({
      addresses: texts,
      action: z.enum(['failed', 'delayed', 'other']),
      status: z.string().nullable(),
      text: z.string(),
    }),
  ),
});

const kinds = Object.keys(removedElements) as RemovedKind[];

const safeHtml = z.strictObject({
  doctype: z.string(),
  html: z.string(),
  removed: z.partialRecord(z.enum(kinds), z.int().positive()),
  hasDark: z.boolean(),
});

const id = z.int();

const answer = z.union([
  z.strictObject({ id, summary: z.custom<ParsedSummary>(isSummary), is_json: z.boolean() }),
  z.strictObject({ id, has_attachment: z.boolean() }),
  z.strictObject({ id, report: report.nullable() }),
  z.strictObject({ id, quotable: z.strictObject({ text: z.string(), html: z.string() }) }),
  z.strictObject({ id, safeHtml }),
  z.strictObject({ id, findings: Findings }),
  z.strictObject({ id, fault: z.string() }),
]);

export const parserProtocol: Protocol<ParserJob, ParserResult> = {
  encode: encodeJob,
  decode: ({ head, bytes }: Frame) => {
    const given = answer.parse(head);
    // The bytes are copied below, because they outlive the chunk of the stream in which they came.
    if ('summary' in given) {
      const { is_json: isJson, ...parsed } = given;
      // The writer thread compresses it while every other mail waits.
      if (isJson && bytes.length > ONE_FRAME_CONTENT_BYTES) throw new Error(`${bytes.length} bytes of JSON`);
      return { ...parsed, isJson, content: bytes.slice() };
    }
    if ('has_attachment' in given)
      return { id: given.id, attachment: given.has_attachment ? bytes.slice() : null };
    return given;
  },
};
