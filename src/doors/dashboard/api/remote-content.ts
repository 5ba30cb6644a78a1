/**
 * Whether a mail's HTML loads something from elsewhere, as an image or in a style. The mail is a stranger's, so no
 * two white-space runs may be adjacent in this pattern: matching them takes quadratic time.
 */
const remoteContent = /(?:src|srcset|background)\s*=\s*(?:["']\s*)?https?:|url\(\s*(?:["']\s*)?https?:/i;

export const loadsRemote = (html: string) => remoteContent.test(html);
