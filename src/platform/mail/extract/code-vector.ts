/** The names of the features for and against a candidate being the mail's code. Each value is between 0 and 1. */
import type { Occurrence } from './candidates.ts';
import type { ReadPart } from './reading.ts';
import { indexNames } from './vector.ts';

/** A place where a candidate occurs. */
export interface Place {
  occurrence: Occurrence;
  part: ReadPart;
  /** Index of the line in the part. */
  index: number;
}

// biome-ignore format: row by row
export const CODE_FEATURES = [
  'len4', 'len5', 'len6', 'len7', 'len8', 'len9', 'mixed', 'letters', 'spaced', 'groups', 'lower',
  'mixed_case',
  'marked', 'year', 'stands_out', 'colon_before', 'letter_order', 'letter_promo', 'uneven', 'issue_key',
  'in_quotation', 'mail_mute', 'mail_percent', 'mail_money', 'tag', 'dummy', 'enter_before', 'subject_promo',
  'subject_order', 'round', 'namelike', 'wordlike', 'doubtful', 'hash_before',
  'own_line', 'own_cell', 'line_end', 'line_start', 'emphasis', 'large', 'bold', 'spaced_type', 'mono',
  'heading',
  'strong_before', 'strong_after', 'strong_prev', 'strong_next',
  'code_before', 'code_after', 'code_prev', 'code_next', 'pass_near',
  'act_near', 'act_prev', 'enter_near', 'expire_near', 'share_near', 'is_near',
  'order_before', 'order_prev', 'promo_near', 'promo_prev', 'badcode_near', 'ending_before', 'stale_before',
  'negate_before', 'example_before', 'unit_after', 'month_near', 'phone_near', 'street_near', 'footer_line',
  'in_link', 'quoted', 'late', 'in_subject', 'subject_code', 'only_text', 'repeated', 'in_url', 'crowded',
  'mail_strong', 'mail_code', 'mail_act', 'mail_expire', 'mail_share', 'mail_ignore', 'mail_enter',
  'long', 'scrambled', 'label_code', 'label_strong', 'label_other', 'user_near', 'user_label', 'greeted', 'in_sender', 'in_host',
  'before_name', 'named', 'mail_travel', 'letter_travel', 'mail_badcode', 'receipt', 'mail_meeting', 'dummy_example',
  'mail_promo', 'mail_order', 'mail_unsubscribe', 'mail_links', 'mail_long', 'sender_auth', 'sender_news',
  'alone',
] as const;

export type CodeFeature = (typeof CODE_FEATURES)[number];

/** The index of each feature in a vector. */
export const at = indexNames(CODE_FEATURES);
