import { limits } from '../../rules/limits.ts';
import type { Json } from './openapi-schema.ts';

/** The response headers, each described once, under components. */

interface HeaderRule {
  description: string;
  schema: Json;
  example: unknown;
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

export const answerHeaders = {
  'X-Request-Id': {
    description: 'Identifies this request in the log; errors repeat it.',
    schema: text,
    example: 'req_9f8e7d6c5b4a39281706f5e4d3c2b1a0',
  },
  'X-RateLimit-Limit': {
    description: 'Limit of the bucket with the fewest requests left.',
    schema: count,
    example: limits.requests_per_minute.max,
  },
  'X-RateLimit-Remaining': { description: 'Requests left in that bucket.', schema: count, example: 119 },
  'X-RateLimit-Reset': {
    description: 'When that bucket is full again, Unix seconds.',
    schema: count,
    example: 1795248060,
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: count, example: 12 },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text, example: 'Bearer' },
  Location: {
    description: 'Path of the created resource.',
    schema: text,
    example: '/api/v1/inboxes/inbox_5a7d1c0e9b3f4e62a8d4f0b1c2d3e4f5',
  },
  'X-Wait-Since': {
    description: '`since` of the next wait: nothing is lost between the two, and nothing given twice.',
    schema: text,
    example: '2026-11-21T08:00:00.123456Z',
  },
  'X-SMTP-Address': {
    description: 'host:port of SMTP; for clients of POSTERN_METRICS_NETWORKS only.',
    schema: text,
    example: '127.0.0.1:1025',
  },
  'X-Wait-Arrived': {
    description: 'How many messages arrived during the wait without matching.',
    schema: count,
    example: 1,
  },
  'X-Wait-Reason': {
    description: 'Why the closest of them did not match: no_message, taken, or the condition it failed.',
    schema: text,
    example: 'no_message',
  },
  'Content-Disposition': {
    description: 'RFC 6266: download, never display.',
    schema: text,
    example: 'attachment; filename="terms.pdf"',
  },
  ETag: {
    description: 'RFC 9110: changes with the bytes of the response.',
    schema: text,
    example: '"msg_0c1d2e3f405162738495a6b7c8d9eaf0-1f3x9k"',
  },
  'Accept-Ranges': { description: 'RFC 9110: byte ranges are supported.', schema: text, example: 'bytes' },
  'Content-Range': {
    description: 'RFC 9110: which bytes of how many.',
    schema: text,
    example: 'bytes 1048576-2097151/3145728',
  },
  Deprecation: {
    description: 'RFC 9745: when this operation was deprecated.',
    schema: text,
    example: '@1795219200',
  },
  Sunset: {
    description: 'RFC 8594: when it will be removed.',
    schema: text,
    example: 'Mon, 01 Mar 2027 00:00:00 GMT',
  },
} as const satisfies Record<string, HeaderRule>;

export type AnswerHeader = keyof typeof answerHeaders;
