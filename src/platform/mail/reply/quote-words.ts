/** How mail programs introduce the mail that they quote, by language. Lower case. */

/** The verb of "On 21 November 2026, Ann wrote:". In some languages it comes last, or is attached to the name. */
// biome-ignore format: row by row
export const attributionVerbs: Readonly<Record<string, readonly string[]>> = {
  en: ['wrote', 'writes'],
  de: ['schrieb', 'schreibt', 'geschrieben'],
  fr: ['a écrit', 'écrit', 'écrivait'],
  es: ['escribió', 'escribio', 'ha escrit'],
  it: ['ha scritto', 'scrive', 'scriveva'],
  pt: ['escreveu', 'escribiu'],
  nl: ['schreef', 'geschreven'],
  sv: ['skrev', 'skreiv'],
  fi: ['kirjoitti'],
  pl: ['napisał', 'napisała', 'napisał(a)', 'pisze'],
  cs: ['napsal', 'napsala', 'napsal(a)', 'napísal'],
  hu: ['írta', 'ezt írta'],
  ro: ['a scris'],
  ru: ['пишет', 'написал', 'написала', 'писал', 'писала'],
  uk: ['пише', 'написав', 'написала'],
  tr: ['yazdı', 'şunu yazdı', 'şunları yazdı'],
  el: ['έγραψε', 'έγραψεν'],
  ja: ['のメール', 'のメッセージ', '書きました', 'は書きました'],
  zh: ['写道', '寫道', '撰写', '来信'],
  ko: ['작성', '썼습니다', '쓴 글'],
  vi: ['đã viết'],
  ar: ['كتب'],
  he: ['כתב', 'כתבה'],
  hi: ['ने लिखा'],
};

/** The first words of such a line. */
// biome-ignore format: row by row
export const attributionOpeners: readonly string[] = [
  'on', 'am', 'le', 'el', 'il', 'in data', 'em', 'a', 'op', 'den', 'w dniu', 'dnia', 'dne', 'pe', 'la', 'в', 'у', 'στις',
  '在', '于', '於', 'vào', 'ב-', 'في',
];

/** Lines above the quoted mail, between dashes. "Forwarded message" is not among them: its mail is new to the reader. */
// biome-ignore format: row by row
export const separators: readonly string[] = [
  'original message', 'originalnachricht', 'original-nachricht', 'ursprüngliche nachricht', 'ursprüngliche mail',
  "message d'origine", 'message d’origine', 'message original', 'courriel original', 'mensaje original',
  'messaggio originale', 'messaggio di origine', 'mensagem original', 'oorspronkelijk bericht',
  'originele bericht', 'oprindelig meddelelse', 'oprindelig besked', 'opprinnelig melding', 'ursprungligt meddelande',
  'originalmeddelande', 'alkuperäinen viesti', 'oryginalna wiadomość', 'wiadomość oryginalna', 'původní zpráva',
  'pôvodná správa', 'eredeti üzenet', 'mesaj original', 'исходное сообщение', 'оригинальное сообщение',
  'исходное письмо', 'оригінальне повідомлення', 'orijinal ileti', 'orijinal mesaj', 'özgün ileti', '元のメッセージ',
  'オリジナルメッセージ', '原始邮件', '原始郵件', '原郵件', '邮件原件', '원본 메시지', '원본 메일', 'αρχικό μήνυμα',
];

/** Lines above a forwarded mail, which is new to the reader. */
// biome-ignore format: row by row
export const forwardedSeparators: readonly string[] = [
  'forwarded message', 'begin forwarded message', 'begin forwarded text', 'forwarded text', 'weitergeleitete nachricht', 'anfang der weitergeleiteten nachricht',
  'message transféré', 'début du message transféré', 'début du message réexpédié', 'mensaje reenviado',
  'inicio del mensaje reenviado', 'messaggio inoltrato', 'inizio messaggio inoltrato', 'mensagem encaminhada',
  'início da mensagem reencaminhada', 'doorgestuurd bericht', 'begin doorgestuurd bericht', 'vidarebefordrat meddelande',
  'vidarebefordrat mejl', 'videresendt meddelelse', 'videresendt besked', 'välitetty viesti', 'przekazana wiadomość',
  'wiadomość przekazana dalej', 'přeposlaná zpráva', 'továbbított üzenet', 'mesaj redirecționat', 'пересылаемое сообщение',
  'пересланное сообщение', 'начало переадресованного сообщения', 'переслане повідомлення', 'iletilen mesaj',
  'yönlendirilmiş ileti', 'προωθημένο μήνυμα', '转发的消息', '转发邮件', '轉寄郵件', '転送メッセージ', '転送されたメッセージ', '전달된 메시지',
  'رسالة معاد توجيهها', 'tin nhắn chuyển tiếp',
];

export type FieldKind = 'from' | 'date' | 'to' | 'subject';

/** The names of the header fields that Outlook and others write above the quoted mail. */
// biome-ignore format: row by row
export const fieldNames: Readonly<Record<FieldKind, readonly string[]>> = {
  from: [
    'from', 'von', 'de', 'da', 'van', 'från', 'fra', 'od', 'lähettäjä', 'от', 'від', 'kimden', 'gönderen', '发件人',
    '寄件者', '寄件人', '差出人', '送信者', '보낸 사람', '보낸사람', 'feladó', 'de la', 'από', 'expéditeur', 'remitente', 'mittente',
    'من', 'מאת',
  ],
  date: [
    'sent', 'date', 'gesendet', 'datum', 'envoyé', 'enviado', 'enviado el', 'enviada em', 'fecha', 'inviato', 'data',
    'verzonden', 'skickat', 'sendt', 'dato', 'wysłano', 'отправлено', 'дата', 'надіслано', 'gönderilen', 'gönderildi',
    'gönderme tarihi', 'tarih', '发送时间', '日期', '傳送時間', '寄件日期', '送信日時', '日時', '日付', '보낸 날짜', '날짜',
    'odesláno', 'odoslané', 'lähetetty', 'päivämäärä', 'dátum', 'elküldve', 'trimis', 'εστάλη', 'ημερομηνία', '时间',
    'تم الإرسال', 'تاريخ الإرسال', 'التاريخ', 'נשלח', 'תאריך',
  ],
  to: [
    'to', 'an', 'à', 'a', 'para', 'aan', 'till', 'til', 'do', 'komu', 'кому', 'kime', 'alıcı', '收件人', '收件者', '宛先',
    '받는 사람', '받는사람', 'címzett', 'către', 'προς', 'vastaanottaja', 'destinataire', 'destinatario', 'pro',
    'إلى', 'אל', 'cc', 'kopie', 'копия', 'bilgi', '抄送', '副本', '참조',
  ],
  subject: [
    'subject', 'betreff', 'objet', 'asunto', 'oggetto', 'assunto', 'onderwerp', 'ämne', 'emne', 'temat', 'тема', 'konu',
    '主题', '主旨', '件名', '제목', 'předmět', 'predmet', 'aihe', 'tárgy', 'subiect', 'θέμα',
    'الموضوع', 'נושא',
  ],
};
