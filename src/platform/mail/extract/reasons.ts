/** Explains why a code or a link was chosen, with a word for the features that added most (docs/extraction.md). */
import type { CodeReason, LinkReason } from '../../../rules/extraction-reasons.ts';
import { CODE_FEATURES, type CodeFeature } from './code-vector.ts';
import { LINK_FEATURES, type LinkFeature } from './link-features.ts';
import { type Model, orderWeights } from './score.ts';
import type { Vector } from './vector.ts';

/** Words that are given. */
const REASONS_MAX = 3;
/** A reason that adds less than this to the score is not worth naming. */
const SHARE_MIN = 0.3;
/** Features that are worth naming although they weigh little, with their least weight here. */
const AT_LEAST: Partial<Record<CodeFeature | LinkFeature, number>> = {
  in_subject: 0.8,
  in_url: 0.5,
  only_token: 0.5,
};

// biome-ignore format: row by row
const forCodes: Record<CodeReason, readonly CodeFeature[]> = {
  keyword_near: ['strong_before', 'strong_after', 'code_before', 'code_after', 'pass_near', 'label_code', 'label_strong'],
  keyword_above: ['strong_prev', 'strong_next', 'code_prev', 'code_next'],
  told_to_enter: ['enter_before', 'enter_near'],
  own_line: ['own_line', 'own_cell'],
  stands_out: ['stands_out', 'large', 'bold', 'spaced_type', 'mono', 'heading'],
  subject: ['in_subject', 'subject_code'],
  form: ['len4', 'len5', 'len6', 'len7', 'len8', 'len9', 'groups', 'spaced', 'scrambled'],
  domain_bound: ['marked', 'named'],
  warned_about: ['expire_near', 'share_near', 'mail_expire', 'mail_share'],
  sign_in_mail: ['act_near', 'act_prev', 'mail_act', 'mail_ignore', 'mail_enter', 'sender_auth'],
  in_link: ['in_url'],
  only_one: ['alone'],
};

// biome-ignore format: row by row
const forLinks: Record<LinkReason, readonly LinkFeature[]> = {
  link_text: ['text_verify', 'text_signin', 'text_reset', 'text_invite', 'text_go', 'text_url', 'token_and_text'],
  words_near: ['near_verify', 'near_signin', 'near_reset', 'near_invite', 'near_go', 'near_expire', 'token_and_near'],
  secret: ['token', 'query_token'],
  short_secret: ['token_short', 'short_and_text'],
  path: ['path_act', 'path_invite', 'token_and_path'],
  code_in_link: ['code_in_url'],
  action: ['action'],
  looks: ['button', 'large'],
  first: ['first', 'repeated'],
  sign_in_mail: ['mail_verify', 'mail_signin', 'mail_reset', 'mail_invite', 'mail_expire', 'mail_ignore', 'subject_act'],
  only_secret: ['only_token'],
};

/** By word, its features: their index in a vector and their least weight. */
interface Groups {
  names: readonly string[];
  words: { word: string; features: { index: number; least: number }[] }[];
}

const placeWords = <Feature extends CodeFeature | LinkFeature>(
  words: Readonly<Record<string, readonly Feature[]>>,
  names: readonly Feature[],
): Groups => ({
  names,
  words: Object.entries(words).map(([word, features]) => ({
    word,
    features: features.map((name) => ({
      index: names.indexOf(name),
      least: AT_LEAST[name] ?? Number.NEGATIVE_INFINITY,
    })),
  })),
});

const codeGroups = placeWords(forCodes, CODE_FEATURES);
const linkGroups = placeWords(forLinks, LINK_FEATURES);

/** Returns the words for a code, the most important first, separated by commas. */
export const explainCode = (vector: Vector, model: Model) => explain(vector, model, codeGroups);

/** Returns the words for a link, the most important first, separated by commas. */
export const explainLink = (vector: Vector, model: Model) => explain(vector, model, linkGroups);

function explain(vector: Vector, model: Model, { names, words }: Groups): string {
  const weights = orderWeights(model, names);
  const found: { word: string; score: number }[] = [];
  for (const { word, features } of words) {
    let score = 0;
    for (const { index, least } of features)
      if (vector[index] !== 0) score += vector[index]! * Math.max(weights[index]!, least);
    if (score >= SHARE_MIN) found.push({ word, score });
  }
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, REASONS_MAX)
    .map(({ word }) => word)
    .join(', ');
}
