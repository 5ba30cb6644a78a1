/** Tags of a message: short words that tests and programs sort their mail by. */

/** Most tags of one message. */
export const TAGS_MAX = 20;
export const TAG = /^[a-z0-9_-]{1,40}$/;
