import { z } from 'zod';
import { type Param, QueryRefused } from '../../platform/http/query.ts';
import { type Requirement, requirements } from './condition.ts';
import { SINCE_PATTERN } from './since.ts';

const CONDITION_CHARS_MAX = 200;
const TIMEOUT_S = { min: 1, standard: 20, max: 25 };
/** Digits follow the dot only if there is one, so that a long run of digits matches in just one way. */
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function makeNumberParam(min: number, max: number, standard: number, about: string): Param<number> {
  return {
    // The schema does not name the range, because values outside it are clamped, not refused.
    schema: z.number().default(standard),
    about,
    read(text) {
      if (text === null) return standard;
      if (!NUMBER.test(text)) throw new QueryRefused('must be a number');
      return Math.min(max, Math.max(min, Number(text)));
    },
  };
}

function makeConditionParam(about: string): Param<string | null> {
  return {
    schema: z.string().max(CONDITION_CHARS_MAX),
    about,
    read(text) {
      if (text === null || text.trim() === '') return null;
      if ([...text].length > CONDITION_CHARS_MAX) {
        throw new QueryRefused(`may have at most ${CONDITION_CHARS_MAX} characters`);
      }
      return text;
    },
  };
}

function makeSwitchParam(about: string): Param<boolean> {
  return {
    schema: z.boolean().default(false),
    about,
    read(text) {
      if (text !== null && text !== 'true' && text !== 'false')
        throw new QueryRefused('must be true or false');
      return text === 'true';
    },
  };
}

function requireParam(standard: Requirement): Param<Requirement> {
  return {
    schema: z.enum(requirements).default(standard),
    about: 'What a message must contain. `any`: a code or a link; `message`: nothing, every message matches.',
    read(text) {
      if (text === null) return standard;
      const known = requirements.find((name) => name === text);
      if (!known) throw new QueryRefused(`must be one of ${requirements.join(', ')}`);
      return known;
    },
  };
}

export const SINCE_FORMS = 'must be an ISO 8601 time, the id of one of your messages, a unix time, or 0';

const sinceParam: Param<string | null> = {
  schema: z.string().min(1).meta({ pattern: SINCE_PATTERN }),
  about:
    'Only messages received after this: an ISO 8601 time, a message id, or a unix time in seconds (milliseconds ' +
    'from 1e12 on). `0` also matches unread messages that are already there. If absent, only new messages match.',
  read(text) {
    // An empty value is usually a client's variable that was never set. To read it as "from now on" would silently lose
    // mail.
    if (text === '') throw new QueryRefused(SINCE_FORMS);
    return text;
  },
};

const shared = {
  since: sinceParam,
  min_confidence: makeNumberParam(0, 1, 0, 'The minimum confidence of a code, clamped to 0 to 1.'),
  from: makeConditionParam('Case-insensitive substring of From.'),
  subject_contains: makeConditionParam('Case-insensitive substring of the subject.'),
  authenticated: makeSwitchParam(
    'Only messages whose From is authentic (`authentication.from.aligned`). A message counts from the moment when SPF, ' +
      'DKIM and DMARC prove it, which wakes the wait. `since` is compared with that moment, and messages come in the ' +
      'order of their verdicts.',
  ),
};

export const waitQuery = {
  ...shared,
  require: requireParam('otp'),
  timeout: makeNumberParam(
    TIMEOUT_S.min,
    TIMEOUT_S.max,
    TIMEOUT_S.standard,
    'Seconds to wait, clamped to 1 to 25.',
  ),
  mark_read: makeSwitchParam(
    'Marks the message read. No other wait with this parameter returns it, so a code is claimed only once.',
  ),
};

export const streamQuery = { ...shared, require: requireParam('any') };
