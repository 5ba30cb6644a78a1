/** Results of SPF, DKIM and DMARC as RFC 8601 2.7 names them; `none`: nothing is published, or nothing is signed. */
export const verdictResults = [
  'pass',
  'fail',
  'softfail',
  'neutral',
  'none',
  'policy',
  'temperror',
  'permerror',
] as const;
export type VerdictResult = (typeof verdictResults)[number];
