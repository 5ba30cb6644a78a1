import type { WireReply } from '../../platform/net/smtp-reply.ts';

/*
 * What a server's answer to RCPT says about the mailbox. Most refusals are about us: a policy, a block list, an unknown
 * client. Only a reply that is clearly about the mailbox counts (docs/decisions.md, Verification).
 */

export type Meaning =
  | 'accepted'
  | 'mailbox_not_found'
  | 'mailbox_full'
  /** 4xx: greylisting, or a problem on their side. */
  | 'temporary'
  /** 5xx about us, or for an unclear reason. */
  | 'refused';

/** How much of a reply is read, since a stranger wrote it. */
const TEXT_CHARS_MAX = 2_000;
/** Enhanced codes (RFC 3463) of a mailbox that does not exist: bad, moved or disabled. */
const NOT_FOUND_CODES = /^5\.(1\.(0|1|2|3|6|10)|2\.1)$/;
const FULL_CODE = /^[45]\.2\.2$/;
const FULL =
  /mailbox (is )?full|over ?(the )?(its |his |disk |storage )?quota|quota (is )?exceeded|exceed\w* (\w+ ){0,3}(quota|storage|mailbox size)|storage (limit|allocation)|out of (storage|disk|space)|insufficient (storage|disk)|inbox is full/i;
/** Replies about the client: block lists, host names, policies. */
const ABOUT_US =
  /black ?-?list|block ?-?list|black ?-?hole|\bdns[bw]l\b|\bu?rbl\b|spamhaus|spamcop|barracuda|sorbs|uceprotect|invaluement|senderscore|proofpoint|cloudmark|abusix|spamrats|mailspike|\bzen\.|\bpbl\b|\bsbl\b|\bxbl\b|\bcbl\b|reputation|reverse dns|\bptr\b|\bspf\b|\bdmarc\b|\bhelo\b|\behlo\b|your (ip|host|server|network|address)|client host|banned|blocked|\bspam|policy|greylist|graylist|rate limit|too many|throttl|relay|authenticat|starttls|\btls\b|null sender|bounce|try again|temporar/i;
const UNKNOWN_USER =
  /(user|recipient|mailbox|account|address|addressee|alias)\W.{0,80}?(unknown|not found|not exist|doesn'?t exist|does not exist|not known|invalid|undeliverable|not available|unavailable|inactive|disabled|not listed|no longer)|(unknown|no such|invalid|nonexistent|non-existent|not a (known|valid)|no) (local )?(user|recipient|mailbox|account|address|person|alias|addressee)|doesn'?t have an? .{0,40}account|not our customer|no mailbox|can'?t find|does not exist/i;
/** Microsoft's code for an address that is in no directory, although it is about routing. */
const DIRECTORY_REFUSAL = /^5\.4\.1$/;

export function readMeaning({ code, lines }: WireReply): Meaning {
  if (code >= 200 && code <= 299) return 'accepted';
  const text = lines.join(' ').slice(0, TEXT_CHARS_MAX);
  const enhanced = /^\s*([245]\.\d{1,3}\.\d{1,3})\b/.exec(lines[0] ?? '')?.[1] ?? '';
  if (FULL_CODE.test(enhanced)) return 'mailbox_full';
  if (code < 500) return 'temporary';
  if (enhanced.startsWith('5.7.') || ABOUT_US.test(text)) return 'refused';
  if (NOT_FOUND_CODES.test(enhanced)) return 'mailbox_not_found';
  if (DIRECTORY_REFUSAL.test(enhanced) && /recipient address rejected/i.test(text))
    return 'mailbox_not_found';
  if (FULL.test(text) || (code === 552 && enhanced === '')) return 'mailbox_full';
  if (UNKNOWN_USER.test(text)) return 'mailbox_not_found';
  // Without an enhanced code, 550, 551 and 553 are about the mailbox (RFC 5321, section 4.2.3); 554 can mean anything.
  return enhanced === '' && [550, 551, 553].includes(code) ? 'mailbox_not_found' : 'refused';
}
