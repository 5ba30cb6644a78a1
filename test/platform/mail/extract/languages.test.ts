/** What the word tables know of each language, and what is found without any table. */
import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { findWords, kind, type WordKind } from '../../../../src/platform/mail/extract/lexicon.ts';

const columns = ['code', 'verify', 'signin', 'reset', 'expire', 'order'] as const;

/**
 * "your code", "confirm", "sign in", "new password", "expires" and "order number", as mails in each language say it.
 */
// biome-ignore format: row by row
const phrases: Record<string, readonly [string, string, string, string, string, string]> = {
  af: ['jou kode', 'bevestig jou adres', 'meld aan', 'nuwe wagwoord', 'die skakel verval', 'bestelling 12'],
  am: ['የማረጋገጫ ኮድ', 'ኢሜይልዎን ያረጋግጡ', 'ይግቡ', 'አዲስ የይለፍ ቃል', 'ጊዜው ያበቃል', 'የትዕዛዝ ቁጥር'],
  ar: ['رمز الدخول', 'تأكيد البريد', 'تسجيل الدخول', 'إعادة تعيين كلمة المرور', 'تنتهي صلاحية الرابط', 'رقم الطلب'],
  az: ['təsdiq kodu', 'e-poçtu təsdiqləyin', 'daxil olun', 'yeni şifrə', 'kodun vaxtı bitir', 'sifariş nömrəsi'],
  be: ['ваш код', 'пацвердзіце адрас', 'увайдзіце', 'новы пароль', 'код дзейнічае', 'нумар замовы'],
  bg: ['вашият код', 'потвърдете адреса', 'вход в профила', 'нова парола', 'кодът е валиден', 'номер на поръчка'],
  bn: ['আপনার কোড', 'ইমেইল যাচাই করুন', 'সাইন ইন করুন', 'নতুন পাসওয়ার্ড', 'মেয়াদ শেষ', 'অর্ডার নম্বর'],
  ca: ['el teu codi', 'confirma l’adreça', 'inicia la sessió', 'contrasenya nova', 'l’enllaç caduca', 'número de comanda'],
  cs: ['váš kód', 'potvrďte adresu', 'přihlásit se', 'nové heslo', 'platnost vyprší', 'číslo objednávky'],
  cy: ['eich cod', 'cadarnhau eich cyfeiriad', 'mewngofnodi', 'cyfrinair newydd', 'mae’r ddolen yn dod i ben', 'rhif archeb'],
  da: ['din kode', 'bekræft adressen', 'log ind', 'ny adgangskode', 'koden udløber', 'ordrenummer'],
  de: ['Ihr Code', 'Adresse bestätigen', 'jetzt anmelden', 'neues Passwort', 'der Link läuft ab', 'Bestellnummer'],
  el: ['ο κωδικός σας', 'επιβεβαιώστε τη διεύθυνση', 'σύνδεση', 'επαναφορά κωδικού', 'λήγει σε', 'αριθμός παραγγελίας'],
  en: ['your code', 'confirm your address', 'sign in', 'new password', 'expires in', 'order number'],
  es: ['tu código', 'confirma tu correo', 'iniciar sesión', 'nueva contraseña', 'el enlace caduca', 'número de pedido'],
  et: ['sinu kood', 'kinnita aadress', 'logi sisse', 'uus parool', 'link aegub', 'tellimuse number'],
  eu: ['zure kodea', 'berretsi helbidea', 'hasi saioa', 'pasahitz berria', 'esteka iraungiko da', 'eskaera zenbakia'],
  fa: ['کد ورود', 'تأیید ایمیل', 'ورود به حساب', 'بازنشانی رمز عبور', 'معتبر است', 'شماره سفارش'],
  fi: ['koodisi', 'vahvista osoite', 'kirjaudu sisään', 'uusi salasana', 'koodi vanhenee', 'tilausnumero'],
  fr: ['votre code', 'confirmez votre adresse', 'connexion à votre compte', 'réinitialiser le mot de passe', 'le lien expire', 'numéro de commande'],
  ga: ['do chód', 'deimhnigh an seoladh', 'logáil isteach', 'pasfhocal nua', 'rachaidh sé in éag', 'uimhir ordaithe'],
  gl: ['o teu código', 'confirma o enderezo', 'inicia sesión', 'novo contrasinal', 'a ligazón caduca', 'número de pedido'],
  gu: ['તમારો કોડ', 'ઇમેઇલ ચકાસો', 'સાઇન ઇન કરો', 'નવો પાસવર્ડ', 'સમાપ્ત થાય છે', 'ઓર્ડર નંબર'],
  he: ['הקוד שלך', 'אימות הכתובת', 'כניסה לחשבון', 'איפוס סיסמה', 'הקוד בתוקף', 'מספר הזמנה'],
  hi: ['आपका कोड', 'ईमेल सत्यापित करें', 'साइन इन करें', 'पासवर्ड रीसेट', '10 मिनट के लिए मान्य', 'ऑर्डर संख्या'],
  hr: ['vaš kod', 'potvrdite adresu', 'prijavite se', 'nova lozinka', 'kod vrijedi', 'broj narudžbe'],
  hu: ['az Ön kódja', 'erősítse meg a címét', 'bejelentkezés', 'új jelszó', 'a link lejár', 'rendelés száma'],
  hy: ['ձեր կոդը', 'հաստատեք հասցեն', 'մուտք գործեք', 'նոր գաղտնաբառ', 'վավեր է', 'պատվերի համարը'],
  id: ['kode Anda', 'konfirmasi alamat', 'masuk ke akun', 'kata sandi baru', 'tautan kedaluwarsa', 'nomor pesanan'],
  is: ['kóðinn þinn', 'staðfestu netfangið', 'skráðu þig inn', 'nýtt lykilorð', 'hlekkurinn rennur út', 'pöntun númer 12'],
  it: ['il tuo codice', 'conferma l’indirizzo', 'accedi', 'nuova password', 'il link scade', 'numero d’ordine'],
  ja: ['確認コード', 'メールアドレスの確認', 'ログイン', 'パスワードの再設定', '10分間有効', '注文番号'],
  ka: ['თქვენი კოდი', 'დაადასტურეთ მისამართი', 'შესვლა', 'ახალი პაროლი', 'კოდი მოქმედებს', 'შეკვეთის ნომერი'],
  kk: ['сіздің кодыңыз', 'мекенжайды растаңыз', 'жүйеге кіріңіз', 'жаңа құпиясөз', 'код жарамды', 'тапсырыс нөмірі'],
  km: ['លេខកូដរបស់អ្នក', 'បញ្ជាក់អាសយដ្ឋាន', 'ចូលគណនី', 'ពាក្យសម្ងាត់ថ្មី', 'ផុតកំណត់', 'លេខបញ្ជាទិញ'],
  kn: ['ನಿಮ್ಮ ಕೋಡ್', 'ಇಮೇಲ್ ಪರಿಶೀಲಿಸಿ', 'ಸೈನ್ ಇನ್', 'ಹೊಸ ಪಾಸ್‌ವರ್ಡ್', 'ಮುಕ್ತಾಯ', 'ಆರ್ಡರ್ ಸಂಖ್ಯೆ'],
  ko: ['인증 코드', '이메일 확인', '로그인', '비밀번호 재설정', '10분 동안 유효', '주문 번호'],
  ky: ['сиздин кодуңуз', 'дарегиңизди ырастаңыз', 'кирүү', 'жаңы сырсөз', 'код жарактуу', 'буйрутма номери'],
  lo: ['ລະຫັດຂອງທ່ານ', 'ຢືນຢັນອີເມວ', 'ເຂົ້າສູ່ລະບົບ', 'ລະຫັດຜ່ານໃໝ່', 'ໝົດອາຍຸ', 'ເລກທີສັ່ງຊື້'],
  lt: ['jūsų kodas', 'patvirtinkite adresą', 'prisijungti', 'naujas slaptažodis', 'kodas galioja', 'užsakymo numeris'],
  lv: ['jūsu kods', 'apstipriniet adresi', 'pieslēgties', 'jauna parole', 'kods derīgs', 'pasūtījuma numurs'],
  mk: ['вашиот код', 'потврдете ја адресата', 'најавете се', 'нова лозинка', 'кодот важи', 'број на нарачка'],
  ml: ['നിങ്ങളുടെ കോഡ്', 'സ്ഥിരീകരിക്കുക', 'സൈൻ ഇൻ', 'പുതിയ പാസ്‌വേഡ്', 'കാലഹരണപ്പെടും', 'ഓർഡർ നമ്പർ'],
  mn: ['таны код', 'хаягаа баталгаажуулна уу', 'нэвтрэх', 'шинэ нууц үг', 'код хүчинтэй', 'захиалгын дугаар'],
  mr: ['तुमचा कोड', 'ईमेल सत्यापित करा', 'साइन इन करा', 'नवीन पासवर्ड', 'वैध आहे', 'ऑर्डर क्रमांक'],
  ms: ['kod anda', 'sahkan alamat', 'log masuk', 'kata laluan baharu', 'pautan tamat tempoh', 'nombor pesanan'],
  my: ['သင့်ကုဒ်', 'အတည်ပြုပါ', 'အကောင့်ဝင်ရန်', 'စကားဝှက်အသစ်', 'သက်တမ်းကုန်', 'အော်ဒါနံပါတ်'],
  nb: ['koden din', 'bekreft adressen', 'logg inn', 'nytt passord', 'koden utløper', 'ordrenummer'],
  ne: ['तपाईंको कोड', 'इमेल पुष्टि गर्नुहोस्', 'साइन इन', 'नयाँ पासवर्ड', 'समाप्त हुन्छ', 'अर्डर नम्बर'],
  nl: ['je code', 'bevestig je adres', 'inloggen', 'nieuw wachtwoord', 'de link verloopt', 'bestelling 12'],
  pa: ['ਤੁਹਾਡਾ ਕੋਡ', 'ਪੁਸ਼ਟੀ ਕਰੋ', 'ਸਾਈਨ ਇਨ', 'ਨਵਾਂ ਪਾਸਵਰਡ', 'ਮਿਆਦ', 'ਆਰਡਰ ਨੰਬਰ'],
  pl: ['Twój kod', 'potwierdź adres', 'zaloguj się', 'nowe hasło', 'link wygasa', 'numer zamówienia'],
  pt: ['seu código', 'confirme o endereço', 'entrar na conta', 'nova senha', 'o link expira', 'número do pedido'],
  ro: ['codul dvs.', 'confirmați adresa', 'autentificați-vă', 'parolă nouă', 'linkul expiră', 'numărul comenzii'],
  ru: ['ваш код', 'подтвердите адрес', 'войти', 'новый пароль', 'код действителен', 'номер заказа'],
  sk: ['váš kód', 'potvrďte adresu', 'prihlásiť sa', 'nové heslo', 'platnosť vyprší', 'číslo objednávky'],
  sl: ['vaša koda', 'potrdite naslov', 'prijavite se', 'novo geslo', 'koda poteče', 'številka naročila'],
  sq: ['kodi juaj', 'konfirmoni adresën', 'hyni', 'fjalëkalim i ri', 'kodi skadon', 'numri i porosisë'],
  sr: ['ваш код', 'потврдите адресу', 'пријавите се', 'нова лозинка', 'код истиче', 'број поруџбине'],
  sv: ['din kod', 'bekräfta adressen', 'logga in', 'nytt lösenord', 'koden är giltig', 'ordernummer'],
  sw: ['msimbo wako', 'thibitisha anwani', 'ingia', 'nenosiri jipya', 'itaisha muda', 'nambari ya oda'],
  ta: ['உங்கள் குறியீடு', 'உறுதிப்படுத்தவும்', 'உள்நுழையவும்', 'புதிய கடவுச்சொல்', 'காலாவதியாகும்', 'ஆர்டர் எண்'],
  te: ['మీ కోడ్', 'నిర్ధారించండి', 'సైన్ ఇన్', 'కొత్త పాస్‌వర్డ్', 'గడువు', 'ఆర్డర్ సంఖ్య'],
  tg: ['рамзи шумо', 'суроғаро тасдиқ кунед', 'ворид шавед', 'пароли нав', 'эътибор дорад', 'рақами фармоиш'],
  th: ['รหัสของคุณ', 'ยืนยันอีเมล', 'เข้าสู่ระบบ', 'ตั้งรหัสผ่านใหม่', 'หมดอายุ', 'หมายเลขคำสั่งซื้อ'],
  tl: ['ang iyong code', 'kumpirmahin ang email', 'mag-sign in', 'bagong password', 'mag-e-expire', 'numero ng order'],
  tr: ['kodunuz', 'adresinizi doğrulayın', 'giriş yapın', 'yeni şifre', 'süresi doluyor', 'sipariş numarası'],
  uk: ['ваш код', 'підтвердьте адресу', 'увійти', 'новий пароль', 'код дійсний', 'номер замовлення'],
  ur: ['آپ کا کوڈ', 'تصدیق کریں', 'سائن ان کریں', 'نیا پاس ورڈ', 'میعاد ختم', 'آرڈر نمبر'],
  uz: ['kodingiz', 'manzilni tasdiqlang', 'kirish', 'yangi parol', 'kod amal qiladi', 'buyurtma raqami'],
  vi: ['mã của bạn', 'xác nhận địa chỉ', 'đăng nhập', 'mật khẩu mới', 'hết hạn', 'số đơn hàng'],
  zh: ['您的验证码', '确认邮箱', '登录', '重置密码', '五分钟内有效', '订单号'],
};

describe('the tables know the words of', () => {
  for (const [language, texts] of Object.entries(phrases)) {
    test(language, () => {
      const unknown = columns.filter((column, index) => {
        const bits = column === 'code' ? kind.code | kind.strong : kind[column];
        return !(findWords(texts[index]!).kinds & bits);
      });
      expect(unknown).toEqual([]);
    });
  }
});

/** What mails say beside the phrases above. */
// biome-ignore format: row by row
const others: readonly (readonly [language: string, name: WordKind, texts: string])[] = [
  ['ar', 'verify', 'تنشيط الحساب, فعل حسابك'],
  ['ar', 'reset', 'إعادة ضبط كلمة المرور'],
  ['az', 'enter', 'kodu daxil edin'],
  ['bg', 'verify', 'потвърждение на адреса'],
  ['bg', 'reset', 'нулиране на паролата'],
  ['bn', 'code', 'পাসকোড'],
  ['ca', 'enter', 'introdueix el codi'],
  ['ca', 'reset', 'canvi de contrasenya'],
  ['cs', 'reset', 'žádost o změnu hesla'],
  ['da', 'strong', 'e-mailbekræftelseskode'],
  ['da', 'reset', 'ændring af adgangskode'],
  ['de', 'strong', 'Kontobestätigungscode, Emailsicherheitscode'],
  ['de', 'verify', 'Kontobestätigung, Kontoaktivierung'],
  ['de', 'reset', 'Passwortänderung, um Ihr Passwort zu ändern'],
  ['de', 'invite', 'du bist eingeladen, Teameinladung'],
  ['el', 'strong', 'ο κωδικός σύνδεσης'],
  ['el', 'verify', 'επικύρωση λογαριασμού'],
  ['en', 'reset', 'Password change'],
  ['en', 'verify', 'reactivate your account'],
  ['es', 'reset', 'cambio de contraseña, cambiar su contraseña'],
  ['fi', 'reset', 'salasanan palauttaminen, vaihtaaksesi salasanan'],
  ['fr', 'reset', 'changement de mot de passe'],
  ['he', 'reset', 'לאפס את הסיסמה'],
  ['hr', 'reset', 'promjenu lozinke, poništavanje lozinke'],
  ['ht', 'enter', 'antre li nan paj la'],
  ['hu', 'ignore', 'figyelmen kívül hagyhatja'],
  ['id', 'verify', 'mengonfirmasi alamat, aktivasi akun'],
  ['it', 'reset', 'cambio password, modificare la password'],
  ['ja', 'strong', 'サインインコード'],
  ['ky', 'enter', 'кодду жазыңыз'],
  ['lt', 'verify', 'paskyros aktyvavimas'],
  ['lv', 'reset', 'paroles atjaunošana, lai mainītu paroli'],
  ['mn', 'enter', 'кодоо оруулна уу'],
  ['nb', 'strong', 'e-postverifiseringskode'],
  ['nb', 'reset', 'bytte passord, endre passordet'],
  ['nl', 'reset', 'om je wachtwoord te wijzigen'],
  ['pl', 'reset', 'prośba o zmianę hasła'],
  ['pt', 'reset', 'troca de senha, mudança de senha'],
  ['ru', 'reset', 'смену пароля, изменить ваш пароль'],
  ['si', 'strong', 'පිවිසුම් කේතය'],
  ['sk', 'reset', 'žiadosť o zmenu hesla'],
  ['sl', 'reset', 'zamenjava gesla'],
  ['sr', 'reset', 'промену лозинке'],
  ['sv', 'strong', 'e-postverifieringskod'],
  ['sv', 'reset', 'ändra ditt lösenord'],
  ['uk', 'verify', 'активація облікового запису'],
  ['uk', 'reset', 'запит на зміну пароля'],
  ['uz', 'enter', 'kodni kiriting'],
  ['vi', 'reset', 'đổi mật khẩu'],
  ['zh', 'reset', '更改您的密码'],
  ['as', 'invite', 'আমন্ত্ৰণ'],
  ['ckb', 'verify', 'پشتڕاست بکەرەوە'],
  ['fy', 'invite', 'útnoeging'],
  ['ig', 'verify', 'nyochaa adreesị'],
  ['kn', 'invite', 'ಆಮಂತ್ರಣ'],
  ['ku', 'invite', 'vexwendin'],
  ['lo', 'reset', 'ຣີເຊັດ'],
  ['mg', 'invite', 'fanasana'],
  ['ms', 'reset', 'tetap semula kata laluan'],
  ['or', 'invite', 'ନିମନ୍ତ୍ରଣ'],
  ['rw', 'invite', 'ubutumire'],
  ['sd', 'reset', 'پاسورڊ ري سيٽ ڪريو'],
  ['sn', 'reset', 'dzosera password'],
  ['xh', 'invite', 'isimemo'],
  ['yo', 'invite', 'ifiwepe'],
  ['zu', 'verify', 'qinisekisa ikheli'],
];

for (const [language, name, texts] of others) {
  test(`the tables know more words of ${language} for ${name}`, () => {
    expect(texts.split(', ').filter((text) => !(findWords(text).kinds & kind[name]))).toEqual([]);
  });
}

describe('the reference of a payment is no code in', () => {
  const receipts = {
    ar: 'شكرا لك. رمز العملية: 20174499',
    el: 'Λάβαμε την πληρωμή. Κωδικός συναλλαγής: 20174499',
    es: 'Gracias por su pago. Código de transacción: 20174499',
    it: 'Grazie del pagamento. Codice di transazione: 20174499',
    nl: 'Bedankt voor je betaling. Transactiecode: 20174499',
    pl: 'Dziękujemy za wpłatę. Kod transakcji: 20174499',
    pt: 'Obrigado pelo pagamento. Código da transação: 20174499',
    ru: 'Спасибо за оплату. Код транзакции: 20174499',
  };
  for (const [language, text] of Object.entries(receipts)) {
    test(language, () => {
      expect(extract({ subject: '', from: 'Shop <no-reply@shop.example>', text, html: '' }).otp).toBeNull();
    });
  }
});

/** Without any known word, script and structure have to be enough. */
describe('a language without a table', () => {
  const languages = [
    ['dz', 'ཁྱེད་ཀྱི་གསང་ཨང'],
    ['haw', 'Penei kāu helu hūnā'],
    ['ti', 'ናይ መእተዊ ቁጽርኹም'],
    ['qu', 'Pakasqa yupayniyki'],
  ] as const;
  for (const [language, words] of languages) {
    test(`${language}: six digits alone in large type are found, and a year in a line is not`, () => {
      const html = `<p>${words}:</p><p style="font-size:32px"><b>482913</b></p><p>2026</p>`;
      const found = extract({ subject: words, from: 'App <no-reply@app.example>', text: '', html });
      expect(found.otp_candidates[0]?.code).toBe('482913');
    });
  }
});
