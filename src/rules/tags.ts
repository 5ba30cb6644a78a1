/** Tags of a message: short words that tests and programs sort their mail by. */

/** Tags that one message has. */
export const TAGS_MAX = 20;
export const TAG = /^[a-z0-9_-]{1,40}$/;
