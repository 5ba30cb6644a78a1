import { lazily } from '../lazy.tsx';

/** Shows the open message. Its code and texts are not part of the first load. */
export const MessagePane = lazily(async () => (await import('./message-view.tsx')).ShownMessage, ['reading']);
