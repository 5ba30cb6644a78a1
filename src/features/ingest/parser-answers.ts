import { z } from 'zod';
import { SENDERS_MAX } from '../../platform/mail/bounds.ts';
import { REFS_MAX } from '../../platform/mail/message-ids.ts';
import { encodeJob, type ParserJob, type ParserResult } from '../../platform/mail/parser-protocol.ts';
import { SNIPPET_CHARS_MAX } from '../../platform/mail/snippet.ts';
import { ONE_FRAME_CONTENT_BYTES } from '../../platform/mail/stored-mail.ts';
import type { Frame } from '../../platform/process/frames.ts';
import type { Protocol } from '../../platform/process/watched-process.ts';
import { type RemovedKind, removedElements } from '../../rules/removed.ts';
import { Findings } from '../checks/wire.ts';

/*
 * The schema of a parser process's answers. A hostile mail may have taken the process over, so each answer is checked.
 * After a wrong answer the process is killed, and only the mails that it holds are affected.
 */

const texts = z.array(z.string());
/** An integer that the store can hold exactly. */
const ref = z.int().min(0);

const summary = z.strictObject({
  status: z.enum(['parsed', 'failed']),
  from: z.string(),
  senders: texts.max(SENDERS_MAX + 1).optional(),
  to: texts,
  cc: texts,
  subject: z.string(),
  otp: z.string().nullable(),
  otp_confidence: z.number().min(0).max(1),
  magic_link: z.string().nullable(),
  links: texts,
  has_html: z.boolean(),
  attachment_count: z.int().min(0),
  tags: texts,
  snippet: z.string().max(SNIPPET_CHARS_MAX),
  ref: ref.nullable(),
  refs: z.array(ref).max(REFS_MAX),
});

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
  z.strictObject({ id, summary, is_json: z.boolean() }),
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
