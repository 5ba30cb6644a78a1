/*
 * Guesses the charset of undeclared text in Cyrillic, Greek, Hebrew, Arabic, Thai, Chinese, Japanese or Korean. Each
 * charset is tried, and much of the decoded text must be characters that are common in its languages. Text in Western
 * letters does not pass, because most of its bytes above ASCII are next to ASCII letters. If in doubt, there is no
 * guess.
 */

interface Script {
  charset: Bun.Encoding;
  /** At least `share` of the characters beyond ASCII must be one of these. */
  common: RegExp;
  share: number;
  /** A word, or a part of one, in the script. */
  word: RegExp;
  /** The least number of characters beyond ASCII to judge by. */
  chars: number;
  /** How a text of fewer characters, such as a subject of one word, is judged; without it, there is no guess. */
  brief?: Brief;
}

/**
 * Every character beyond ASCII must be in a word, and none next to an ASCII letter. One word in Cyrillic can't be told from
 * a list of Western letters (`àèìòù`), so only East Asian texts are judged like this.
 */
interface Brief {
  /** Those of the script by default. */
  common?: RegExp;
  share: number;
  word: RegExp;
  chars: number;
}

/** Fewer characters beyond ASCII are not enough to judge by, in a script of thousands. */
const CHARS_MIN = 9;

/**
 * These are more than half of the letters of a text in Russian, Ukrainian, Bulgarian or Serbian. Lower case only: in
 * the wrong one of the two charsets, upper and lower case are swapped. Short texts in Greek or Hebrew can look like
 * Cyrillic, so more characters are needed.
 */
const CYRILLIC = { common: /[оеаинтсрвлі]/g, share: 0.5, word: /[Ѐ-ӿ]{3,}/g, chars: 14 };
/** Read in one of these charsets, text in another script has too few of the common letters, unless it is short. */
const GREEK = { common: /[αοιετνσηςυω]/g, share: 0.5, word: /[Ͱ-Ͽ]{2,}/g, chars: 20 };
const HEBREW = { common: /[יוהלארתבשמ]/g, share: 0.55, word: /[א-ת]{2,}/g, chars: 20 };
const ARABIC = { common: /[الينموتربةهعسدك]/g, share: 0.6, word: /[\u0621-\u06ff]{2,}/g, chars: 20 };
const THAI = { common: /[านรอกเงมยลวดทตสะัี่้ิคขหปุ]/g, share: 0.7, word: /[ก-๙]{3,}/g, chars: 20 };
const JAPANESE = {
  common: /[ぁ-んァ-ヶー、。]/g,
  share: 0.35,
  word: /[ぁ-ヶー一-鿿]{2,}/g,
  chars: CHARS_MIN,
  brief: { common: /[ぁ-んァ-ヶー]/g, share: 0.3, word: /[ぁ-ヶー一-鿿、。]{3,}/g, chars: 3 },
};
const HAN = /[\u4e00-\u9fff]{2,}/g;
const HANGUL = /[가-힣]{2,}/g;

// biome-ignore format: characters by how common they are, roughly.
const SCRIPTS: readonly Script[] = [
  { charset: 'windows-1251', ...CYRILLIC },
  { charset: 'koi8-u', ...CYRILLIC },
  { charset: 'windows-1253', ...GREEK },
  { charset: 'windows-1255', ...HEBREW },
  { charset: 'windows-1256', ...ARABIC },
  { charset: 'iso-8859-6', ...ARABIC },
  { charset: 'windows-874', ...THAI },
  { charset: 'shift_jis', ...JAPANESE },
  { charset: 'euc-jp', ...JAPANESE },
  {
    charset: 'gb18030',
    common: /[的一是在不了有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力与长把机第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向文体相见被等产或新制身果加月话合回特代内信表化给位次度门任常先通原提立及比员解名真处各入认条平系更别打变总何电数安少报结受目再务做接件计管期市直资金指统区保至便决书非则达即完设式记品住告类求据程该交规取共确传切让识您验证码密登录邮箱击链户输效请钟续谢号册置绑，。：！、]/g,
    share: 0.5, word: HAN, chars: CHARS_MIN, brief: { share: 0.75, word: HAN, chars: 2 },
  },
  {
    charset: 'big5',
    common: /[的一是在不了有人我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作里用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日者意無力與長把機第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應向文體相見被等產或新制身果加月話合回特代內信表化給位次度門任常先通原提立及比員解名真處各入認條平系更別打變總何電數安少報結受目再務做接件計管期市直資金指統區保至便決書非則達即完設式記品住告類求據程該交規取共確傳切讓識您驗證碼密登錄郵箱擊鏈戶輸效請鐘續謝號冊置綁帳，。：！、]/g,
    share: 0.5, word: HAN, chars: CHARS_MIN, brief: { share: 0.75, word: HAN, chars: 2 },
  },
  {
    charset: 'euc-kr',
    common: /[이다는을를의에가하고은지한로서기사도인어아시해대정자리수그일나전보있요으세니습합입력번호증코드확메안녕회원님주소제부장공과만들라여었게상면구스동신성용오위조비유내계모생경문방중국년월분발개통관당된되할및거물변않본까청림감무료링크클릭밀재설새름접속송버튼누르십]/g,
    share: 0.6, word: HANGUL, chars: CHARS_MIN, brief: { share: 0.75, word: HANGUL, chars: 2 },
  },
];

/** Each mail can have thousands of texts to judge, so the decoders are made once. */
const CANDIDATES = SCRIPTS.map((script) => ({ ...script, decoder: new TextDecoder(script.charset) }));

/** Bytes of a text that are decoded to judge it. */
const SAMPLE_BYTES = 8 * 1024;
/** Fewer bytes, from the first one beyond ASCII on, hold no word in any script. */
const BYTES_MIN = 4;
/** A longer text is not judged as a brief one. */
const BRIEF_BYTES_MAX = 80;
/** Different common characters that it must have: a line drawn with one character is not text. */
const DISTINCT_MIN = 4;
/**
 * Of the characters beyond ASCII, the share that must be in words, and the share that may be next to an ASCII letter.
 */
const WORDS_SHARE = 0.6;
const BESIDE_SHARE = 0.1;

const western = new TextDecoder('windows-1252');
/** Punctuation that is written next to Western words. */
const WESTERN_MARKS = /[«»¡¿‚‘’„“”–—…\xa0]/g;

/** Does not count punctuation that every script has. */
const BEYOND_ASCII = /[^\p{ASCII}\xa0«»—–“”„‘’…№•©®€°§·]/gu;
const BESIDE_ASCII = /[A-Za-z]\P{ASCII}|\P{ASCII}[A-Za-z]/gu;

/**
 * Whether at least half of the bytes beyond ASCII are next to another one, which is rare in Western text (`ções`). A
 * cheap first check of text that is declared as Western.
 */
export function hasRuns(bytes: Uint8Array): boolean {
  const from = bytes.findIndex((byte) => byte > 0x7f);
  if (from < 0) return false;
  const end = Math.min(bytes.length, from + SAMPLE_BYTES);
  let high = 0;
  let together = 0;
  for (let at = from; at < end; at++) {
    if (bytes[at]! <= 0x7f) continue;
    high++;
    if (bytes[at - 1]! > 0x7f || bytes[at + 1]! > 0x7f) together++;
  }
  return together * 2 >= high;
}

/** Returns the charset of a text that is not Unicode; null if it may be in Western letters. */
export function guessCharset(bytes: Uint8Array): Bun.Encoding | null {
  const from = bytes.findIndex((byte) => byte > 0x7f);
  if (from < 0 || bytes.length - from < BYTES_MIN) return null;
  const sample = bytes.subarray(from, from + SAMPLE_BYTES);
  const mayBeBrief = sample.length <= BRIEF_BYTES_MAX && !isLetter(bytes[from - 1]) && !mayBeWestern(sample);
  let best: { charset: Bun.Encoding; certainty: number } | null = null;
  for (const candidate of CANDIDATES) {
    const text = candidate.decoder.decode(sample);
    const certainty = judge(text, candidate) || (mayBeBrief ? judgeBrief(text, candidate) : 0);
    if (certainty > (best?.certainty ?? 0)) best = { charset: candidate.charset, certainty };
  }
  return best?.charset ?? null;
}

/** How certain a candidate is: the share of its common characters, relative to the required one; 0 if it fails. */
function judge(text: string, { common, share, word, chars }: Script): number {
  const beyond = countMatches(text, BEYOND_ASCII);
  if (beyond < chars) return 0;
  const found = text.match(common) ?? [];
  if (found.length < beyond * share || new Set(found).size < DISTINCT_MIN) return 0;
  if (countMatches(text, BESIDE_ASCII) > beyond * BESIDE_SHARE) return 0;
  const inWords = (text.match(word) ?? []).reduce((sum, one) => sum + one.length, 0);
  return inWords < beyond * WORDS_SHARE ? 0 : found.length / beyond / share;
}

/** As `judge`, for a text that is too short for it. */
function judgeBrief(text: string, { common, chars, brief }: Script): number {
  if (!brief) return 0;
  const beyond = text.match(BEYOND_ASCII) ?? [];
  if (beyond.length < brief.chars || beyond.length >= chars || countMatches(text, BESIDE_ASCII) > 0) return 0;
  if (new Set(beyond).size < Math.min(DISTINCT_MIN, beyond.length)) return 0;
  const inWords = (text.match(brief.word) ?? []).reduce((sum, one) => sum + one.length, 0);
  if (inWords !== beyond.length) return 0;
  const share = countMatches(text, brief.common ?? common) / beyond.length;
  return share < brief.share ? 0 : share;
}

/**
 * Whether everything beyond ASCII could be words of Western letters, such as `äöüß`. Two bytes of an East Asian character
 * are seldom two letters, and several characters hardly ever make a word with its capitals in the right place.
 */
function mayBeWestern(bytes: Uint8Array): boolean {
  const runs =
    western
      .decode(bytes)
      .replace(WESTERN_MARKS, ' ')
      .match(/\P{ASCII}+/gu) ?? [];
  return runs.every((run) => /^(\p{Lu}?\p{Ll}*|\p{Lu}+)$/u.test(run));
}

const isLetter = (byte = 0) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
