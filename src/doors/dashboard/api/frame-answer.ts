import { z } from 'zod';
import type { Param } from '../../../platform/http/query.ts';
import type { Answer } from '../../../platform/http/reply.ts';
import type { FrameLook } from '../../../platform/mail/parsed.ts';
import { type FrameKind, makeFrameHeaders } from '../frame.ts';

const flag = (about: string): Param<boolean> => ({
  schema: z.boolean(),
  about,
  read: (text) => text === 'true',
});

/** The query of a route that shows the HTML of a mail. */
export const frameQuery = {
  images: flag('true lets the HTML load images from other hosts.'),
  dark: flag('true shows the HTML as to a reader who prefers dark.'),
};

/** Answers such a route with the document that `render` returns. */
export async function answerFrame(
  request: Request,
  { images, dark }: { images: boolean; dark: boolean },
  render: (look: FrameLook, kind: FrameKind) => Promise<string>,
): Promise<Answer> {
  // Opened by itself it gets no script: without the page around it there is nothing to report to.
  const kind = request.headers.get('sec-fetch-dest') === 'document' ? 'alone' : 'framed';
  const document = await render({ remoteImages: images, dark }, kind);
  return { status: 200, bytes: Buffer.from(document), headers: makeFrameHeaders(images, kind) };
}
