/** Finds links for a reader who did not ask for the mail: "If this wasn't you, reset your password." */
import type { FoundLink } from '../html/page.ts';
import type { ReadPart } from './reading.ts';

/** Characters before a link that are searched for its sentence. */
const BEFORE_CHARS = 200;
/** A question before the link belongs to it: "Wasn't you? Reset your password." */
const SENTENCE_END = /[.!…]\s|[。！।]/;
/** A sentence that continues like this also has the right link: "If it wasn't you, ignore this, otherwise confirm." */
const OTHERWISE =
  /ignor|disregard|otherwise|sonst|andernfalls|sinon|en caso contrario|altrimenti|caso contrário|无视|無視|忽略/i;
/** What a reader says of an action of somebody else. Each has a verb, unlike "if you don't see the button". */
const NOT_ME = new RegExp(
  [
    /(?:was(?:n['’]t| not)|is(?:n['’]t| not)|were(?:n['’]t| not)) (?:you|done by you|made by you)\b/,
    /\byou (?:did(?:n['’]t| not)|have(?:n['’]t| not)) (?:recently )?(?:request|ma[dk]e|do(?:ne)?\b|sign|log|creat|chang|initiat|tr(?:y|ied)\b|attempt|recogni[sz]|authori[sz]|ask|perform|enabl)/,
    /\b(?:do|did)(?:n['’]t| not) (?:recogni[sz]e|request|make|do) (?:this|it|the|that)\b|\byou (?:do(?:n['’]t| not)) recogni[sz]/,
    /\bnot you\?/,
    /\byou (?:are(?:n['’]t| not)) (?:trying|attempting)/,
    /\b(?:sie|du) (?:das |dies |es |diese \S{1,20} |sich )?nicht (?:waren|warst|selbst|angefordert|veranlasst|durchgeführt)|\b(?:waren|warst) (?:sie|du) (?:das |es )?nicht|\bnicht von ihnen\b/,
    /n['’](?:était|est) pas vous|n['’]êtes pas à l['’]origine|n['’]avez pas (?:demandé|effectué|fait)/,
    /\bno (?:fuiste|has sido|fue usted|ha sido usted|reconoces?|has solicitado|ha solicitado|solicitaste)\b/,
    /\bnão (?:foi você|foste tu|reconhece|solicitou|fez est)/,
    /\bnon (?:sei stat[oa]|è stat[oa] lei|riconosci|hai (?:richiesto|effettuato))/,
    /\b(?:jij|je|u) dit niet (?:was|bent|hebt)\b|niet zelf|niet herken/,
    /\b(?:inte (?:var|är) du|ikke (?:var|er) (?:dig|deg)|var ikke (?:dig|deg)|det inte var du)\b|\bet (?:ollut|pyytänyt|tunnista)/,
    /\bto nie (?:ty|pan)\b|\bjste to nebyl|\bnem (?:ön|te) vol/,
    /это (?:были |был[аи]? )?не вы|(?:это сделали|входили|меняли|запрашивали) не вы|це (?:були )?не ви/,
    /siz değilseniz|bukan anda|không phải (?:là )?bạn/,
    /不是您|非您本人|非本人|不是你|お心当たりがない|心当たりのない|ご本人でない|본인이 아니/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
);

/** Otherwise there are only marks before the link: a bullet, a bracket, an arrow. */
const HAS_WORDS = /[\p{L}\p{N}]/u;

/** Whether the sentence of a link says that it is for somebody who did not ask for the mail. */
export function isIfNotMe({ lines }: ReadPart, { line, start }: FoundLink): boolean {
  const before = (lines[line]?.text ?? '').slice(Math.max(0, start - BEFORE_CHARS), start);
  const sentence = HAS_WORDS.test(before) ? before : readLineAbove(lines[line - 1]?.text ?? '');
  const last = sentence.split(SENTENCE_END).at(-1) ?? '';
  return NOT_ME.test(last) && !OTHERWISE.test(last);
}

/** A line that ends with a colon belongs to the address below it. */
const readLineAbove = (text: string) => (/[:：]\s*$/.test(text) ? text.slice(-BEFORE_CHARS) : '');
