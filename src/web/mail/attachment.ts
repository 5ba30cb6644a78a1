import type { OpenedMessage } from '../../doors/dashboard/wire.ts';

export type Attachment = OpenedMessage['attachments'][number];

/** Whether it is a picture that the mail's HTML shows, rather than a file. */
export const isInlinePicture = ({ inline, content_id }: Attachment) => inline && content_id !== null;

/** Returns its path below the dashboard's routes. */
export const attachmentPath = (messageId: string, index: number) =>
  `messages/${messageId}/attachments/${index}`;
