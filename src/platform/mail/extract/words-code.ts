/** Words around a one-time code, by language. lexicon.ts explains the notation. */
export const codeWords = {
  /** The plain noun, also part of "promotion code". */
  code: {
    en: '*code, =codes, auth code, confirmation code, =pin, =pins, coce, =token, passphrase, digits, =key, one-time key, cod',
    romance:
      'codigo, codice, =jeton, codis, =cod, =codi, =codul, kodea, kode, =clave, chiave, cifra, chiffres',
    germanic:
      '*kode, *kod, koda, =zahl, cijfercode, cijfers, ziffern, siffertall, siffer, kodi, *koodi, *kood, numerot',
    slavic: 'код, кода, коде, кодом, кôд, шифр, kod, kód, cifr, цифр, šifra, *kodas, kodu',
    baltic: 'kodas, kodo, kods, kodu, koods',
    turkic:
      'kod, kodu, kodunuz, şifre, код, коди, коду, коды, кодин, кодни, кодт, кодд, kodini, kodni, rakam, шифре, كود',
    uralic: 'kód, kódja, koodi, koodin, kood, tunnusluku, tunnusluvu',
    greek: 'κωδικ, κωδικό, ψηφί',
    semitic:
      'رمز, الرمز, رمزك, كود, الكود, كودك, برمز, للرمز, =קוד, =הקוד, קודך, ספרות, أرقام, koodka, lambar',
    iranian: 'рамз, =کد, کدتان, رمز, کود, کۆد, ارقام',
    indic:
      'कोड, कूट, अंक, संकेत, কোড, કોડ, ਕੋਡ, କୋଡ୍, କୋଡ, குறியீ, కోడ్, ಕೋಡ್, കോഡ്, කේතය, කේත, کوڈ, ڪوڊ, कोडः, संहिता, ক’ড, কোডটো',
    east: '代码, 代碼, コード, 코드, 번호, 番号, 確認番号, 号码, 號碼, 數字, 数字, 密码, 密碼, 숫자, 暗号, 口令',
    southeast:
      'kode, kod, mã của, mã này, mã số, =ma xac, =ma kich, รหัส, โค้ด, ລະຫັດ, លេខកូដ, កូដ, ကုဒ်, kodigo, =bilang',
    africa: 'msimbo, nambari, koodi, lambar, nọmba, koodu, ikhodi, koodh, ኮድ',
    caucasus: 'კოდი, კოდის, կոդ, ծածկագիր',
    celtic: '=cód, =chód, =gcód, cod',
    esperanto: 'kodo, kodon',
  },
  /** Means only a one-time code. */
  strong: {
    en: 'one-time code, one time code, temporary password, initial password, =otp, =otps, =tac, =totp, one-time pass, one time pass, one-time pin, one time pin, single-use code, single use code, verification code, verify code, verifycode, login code, log-in code, sign-in code, signin code, security code, authentication code, access code, activation code, activation pin, passcode, 2fa code, two-factor code, mfa code, verification pin, login pin, confirmation pin, temporary code, temporary pin, magic code, security pin, authorization code, authorisation code, recovery code, recovery key, backup code, backup key, emergency code, reset code, registration code, one-off code, confirm code, validation code, unlock code, verification number, secure code, =m-pin, dynamic code, =2fa pin, sign in code, log in code, pairing code, device code, step-up code',
    de: 'bestätigungscode, verifizierungscode, sicherheitscode, anmeldecode, einmalcode, einmalpasswort, einmal-code, einmal-passwort, zugangscode, aktivierungscode, freischaltcode, =mtan, =tan, =smstan, =mobiletan, =pushtan, =apptan, =phototan, =chiptan, login-code, prüfcode, wiederherstellungscode, freigabecode, einmalkennwort, authentifizierungscode, zahlencode, einmal-pin, temporärer code, temporäre pin',
    fr: 'code de vérification, code de confirmation, code de connexion, code de sécurité, code à usage unique, code d’accès, code d’activation, code d’authentification, mot de passe à usage unique, code unique, code temporaire, code de validation, code de récupération, code de secours, code secret, pin temporaire, code pin temporaire',
    es: 'código de verificación, código de seguridad, código de acceso, código de confirmación, código de un solo uso, contraseña de un solo uso, código único, código temporal, clave de acceso, clave dinámica, clave temporal, código de activación, código de recuperación, código de inicio, clave de firma, clave de operación, clave de confirmación, clave única, clave de un solo uso, pin temporal, pin de un solo uso, codi de verificació',
    pt: 'código de verificação, código de segurança, código de acesso, código de confirmação, código de uso único, senha de uso único, senha temporária, código único, código de ativação, código de login, código de autenticação, código de recuperação, senha descartável, pin temporário, pin de uso único, código temporário',
    it: 'codice di verifica, codice di sicurezza, codice di accesso, codice di conferma, codice monouso, codice temporaneo, password monouso, codice usa e getta, codice di attivazione, codice di autenticazione, codice di recupero, codice otp, pin temporaneo, pin monouso, pin usa e getta',
    nl: 'verificatiecode, bevestigingscode, beveiligingscode, inlogcode, eenmalige code, toegangscode, activeringscode, activatiecode, eenmalig wachtwoord, verifikasiekode, eenmalige pincode, controlecode, herstelcode, tijdelijke code, tijdelijke pin, eenmalige pin',
    nordic:
      'verifieringskod, engångskod, engangskode, bekräftelsekod, bekreftelseskode, bekræftelseskode, verifikasjonskode, verifiseringskode, verifikationskode, säkerhetskod, sikkerhetskode, sikkerhedskode, inloggningskod, innloggingskode, loginkode, vahvistuskoodi, turvakoodi, kertakäyttökoodi, kertakäyttöinen, kertakoodi, kirjautumiskoodi, staðfestingarkóð, öryggiskóð, váttanarkota, aktiveringskod, pääsykoodi, todennuskoodi, engangskode, pinkode, pinkod, engångslösenord, engangspassord, engångs-pin, engangs-pin, tillfällig kod, tillfällig pin, midlertidig kode, midlertidig pin, tilapäinen koodi, väliaikainen koodi, återställningskod, gjenopprettingskode, gendannelseskode, palautuskoodi, endurheimtunarkóð',
    slavic:
      'код подтверждения, код безопасности, код для входа, код доступа, код авторизации, код проверки, проверочный код, одноразовый код, одноразовый пароль, код підтвердження, одноразовий код, код безпеки, перевірочний код, kod weryfikacyjny, kod jednorazowy, kod potwierdzający, kod bezpieczeństwa, kod dostępu, hasło jednorazowe, kod logowania, ověřovací kód, potvrzovací kód, bezpečnostní kód, jednorázový kód, jednorázové heslo, overovací kód, jednorazový kód, potvrdzovací kód, kod za potvrdu, kod za provjeru, potvrdni kod, sigurnosni kod, jednokratni kod, verifikacioni kod, jednokratna lozinka, potrditvena koda, enkratna koda, varnostna koda, код за потвърждение, код за проверка, еднократен код, код за потврда, верификациони код, једнократни код, код для подтверждения, код пацвярджэння, verifikační kód, přihlašovací kód, prihlasovací kód, kontrolný kód, kontrolní kód, код восстановления, код відновлення, код за възстановяване, kod odzyskiwania, kod autoryzacyjny, kod aktywacyjny, obnovovací kód, aktivační kód, aktivačný kód, kod za oporavak, aktivacijski kod, верификациски код, код за верификација, временный код, одноразовый пин, временный пин, тимчасовий код, tymczasowy kod, tymczasowy pin, jednorazowy pin, dočasný kód, dočasný pin, jednorázový pin, privremeni kod',
    otherLatin:
      'megerősítő kód, ellenőrző kód, biztonsági kód, egyszer használatos, belépési kód, hitelesítő kód, egyszeri kód, ideiglenes kód, bejelentkezési kód, helyreállítási kód, cod de recuperare, kurtarma kod, bərpa kodu, kode pemulihan, mã khôi phục, kodi i rikuperimit, taastekood, atkūrimo kod, atgūšanas kod, cod de verificare, cod de confirmare, cod de securitate, cod unic, parolă unică, codul de verificare, cod de acces, doğrulama kodu, onay kodu, güvenlik kodu, tek kullanımlık, giriş kodu, geçici kod, geçici şifre, şifreniz, aktivasyon kodu, doğrulama şifre, təsdiq kodu, təsdiqləmə kodu, birdəfəlik, tasdiqlash kodi, kodi i verifikimit, kinnituskood, turvakood, ühekordne, patvirtinimo kod, vienkartin, apstiprinājuma kod, verifikācijas kod, vienreizēj, kodi i konfirmimit, egiaztapen-kode, egiaztatze-kode, nambari ya uthibitisho, kode verifikasi, kode otp, kode sementara, pin sekali, kode keamanan, kode sekali, kode konfirmasi, kode masuk, kata sandi sekali, kod pengesahan, kod keselamatan, kod sekali, mã xác minh, mã xác nhận, mã xác thực, mã bảo mật, mã đăng nhập, mã kích hoạt, ma xac minh, ma xac nhan, ma xac thuc, ma kich hoat, ma otp, mã otp, mật khẩu một lần, mã tạm thời, mã pin một lần, verification kodigo, code ng pag-verify',
    greek:
      'κωδικός επαλήθευσης, κωδικός επιβεβαίωσης, κωδικός ασφαλείας, κωδικός μίας χρήσης, κωδικός μιας χρήσης, κωδικό επαλήθευσης, κωδικό επιβεβαίωσης, κωδικός ανάκτησης, κωδικό ανάκτησης',
    semitic:
      'رمز التحقق, رمز التأكيد, رمز الأمان, رمز الدخول, رمز لمرة واحدة, رمز التفعيل, كود التحقق, كود التفعيل, رمز المصادقة, رمز الاسترداد, رمز مؤقت, קוד שחזור, קוד זמני, הסיסמה החד, חד-פעמי, קוד אימות, קוד האימות, קוד חד, קוד כניסה, קוד אבטחה, סיסמה חד, קוד גישה, קוד האבטחה',
    iranian:
      'کد تایید, کد تأیید, کد فعال, رمز یکبار, رمز یک‌بار, کد ورود, کد امنیتی, رمز پویا, کد تائید, کوډ تایید, کد اعتبار, کد بازیابی, рамзи тасдиқ',
    indic:
      'सत्यापन कोड, ओटीपी, पुष्टिकरण कोड, सुरक्षा कोड, वन-टाइम, वन टाइम, ওটিপি, যাচাইকরণ কোড, ওয়ান-টাইম, ઓટીપી, ਓਟੀਪੀ, ஓடிபி, சரிபார்ப்புக் குறியீ, ఓటీపీ, ధృవీకరణ కోడ్, ಒಟಿಪಿ, ഒടിപി, تصدیقی کوڈ, سیکیورٹی کوڈ, او ٹی پی, पडताळणी कोड, प्रमाणीकरण कोड',
    east: '验证码, 驗證碼, 校验码, 校驗碼, 确认码, 確認碼, 动态码, 動態碼, 动态密码, 動態密碼, 一次性密码, 一次性密碼, 安全码, 安全碼, 激活码, 登录码, 登入碼, 認證碼, 认证码, 认证代码, 验证代码, 驗證代碼, 安全代码, 确认代码, 一次性代码, 一次性验证, 短信码, 恢复码, 恢复代码, 恢復碼, 備援碼, 復原碼, 备用码, 口令码, 識別碼, 随机码, 檢核碼, 認証コード, 認証キー, 確認コード, 検証コード, 認証番号, ワンタイム, セキュリティコード, ログインコード, パスコード, 暗証番号, 確認用コード, 認証用コード, 復旧コード, 回復コード, リカバリーコード, バックアップコード, 복구 코드, 복구코드, 인증번호, 인증 번호, 인증코드, 인증 코드, 확인코드, 확인 코드, 보안코드, 보안 코드, 일회용, 로그인 코드, 인증용, 확인번호, 임시 코드',
    southeast:
      'รหัสยืนยัน, รหัส otp, รหัสผ่านครั้งเดียว, รหัสความปลอดภัย, รหัสตรวจสอบ, รหัสการยืนยัน, รหัสกู้คืน, โอทีพี, ລະຫັດຢືນຢັນ, លេខកូដផ្ទៀងផ្ទាត់, កូដផ្ទៀងផ្ទាត់, အတည်ပြုကုဒ်',
    caucasus: 'დადასტურების კოდი, ერთჯერადი, հաստատման կոդ, միանգամյա',
  },
  /** A password: a code in "your password is 1099", not in "reset your password". */
  pass: {
    latin:
      'password, passwort, kennwort, mot de passe, contraseña, senha, palavra-passe, wachtwoord, lösenord, passord, adgangskode, salasana, hasło, hasl, heslo, lozink, geslo, parol, jelszó, şifre, kata sandi, kata laluan, mật khẩu, mat khau, passwd, contrasenya, pasahitz, slaptažod, lykilorð, nenosiri, fjalëkalim',
    other:
      'парол, κωδικό πρόσβασης, كلمة المرور, كلمة السر, رمز عبور, گذرواژه, סיסמ, पासवर्ड, পাসওয়ার্ড, 密码, 密碼, パスワード, 비밀번호, 암호, รหัสผ่าน, پاس ورڈ, გასაღებ, պարոլ, գաղտնաբառ',
  },
  /** What to do with a code. */
  enter: {
    en: '=enter, entering, use this, use the, =use, =type, paste, =copy, input, submit, here is, here’s, provide',
    latin:
      'eingeben, gib, geben sie, verwenden, nutze, saisi, entrez, utilis, introduce, ingresa, escrib, insira, digite, digita, teclea, teclee, tecle, inser, usa il, usa el, usa este, usa questo, usa o, usa la, voer, gebruik, =ange, angi, indtast, brug, skriv, kirjoita, syötä, käytä, wpisz, wprowadź, użyj, zadejte, zadajte, použijte, unesite, upišite, vnesite, írja be, adja meg, használja, introduc, utiliza, folos, girin, yazın, yazma, yazarak, kullan, masuk, gunakan, nhập, nhap, vui long, sử dụng, sisesta, įvesk, ievad, sartu, ingiza, vendos',
    other:
      'введите, используйте, введіть, використ, въведете, унесите, внесете, εισάγετε, εισαγάγετε, χρησιμοποι, πληκτρολογ, أدخل, ادخل, استخدم, إدخال, وارد, استفاده, הזן, הזינו, הקלד, השתמש, दर्ज, उपयोग, डालें, লিখুন, ব্যবহার, 输入, 輸入, 填写, 使用, 入力, ご利用, 입력, 사용, กรอก, ป้อน, ใช้, درج, შეიყვანეთ',
  },
  /** It expires soon. */
  expire: {
    en: 'expire, valid for, valid until, expiry, is valid, will be valid, only valid, good for',
    latin:
      'gültig, läuft, ablauf, valable, expir, válid, vence, caduca, validade, valido, valida per, scad, geldig, verloopt, giltig, gyldig, utgår, utløper, udløber, voimassa, vanhenee, ważny, wygasa, ważność, platný, platnost, vyprší, =platí, vrijedi, važi, ističe, istekne, velja, poteče, érvényes, lejár, valabil, geçerli, =süre, süresi, berlaku, kedaluwarsa, sah selama, tamat, hiệu lực, hieu luc, hết hạn, kehtib, aegub, galioja, derīg, iraung, skadon, verval, muda wa',
    other:
      'действителен, действует, истекает, истечёт, срок действия, дійсний, діє, термін, валиден, важи, ισχύει, λήγει, صالح, صلاحية, تنتهي, ينتهي, معتبر, منقضی, بתוקף, תקף, יפוג, फ़ुट, मान्य, वैध, समाप्त, মেয়াদ, বৈধ, 有效, 过期, 失效, 過期, 内有効, 有効, 失効, 유효, 만료, หมดอายุ, ใช้ได้, ภายใน, میعاد, მოქმედ',
  },
  /** It is not to be shared. */
  share: {
    en: 'do not share, don’t share, never share, do not give, don’t give, not share, do not forward, don’t forward, do not disclose, never ask, anyone else, keep this code, keep it secret, do not tell, to anyone, with anyone, confidential',
    latin:
      'nicht weiter, niemandem, teile, ne partag, ne communiqu, ne le partag, jamais, no compart, nunca, nadie, não compart, nao compart, ninguém, non condivid, nessuno, deel, niemand, dela inte, del ikke, del aldri, ingen, älä jaa, kenellekään, nie udostęp, nikomu, nie podawaj, nesdělujte, nesdílejte, nikome, nemojte dijel, ne deljite, nikomur, ne ossza, senkivel, senki, nu distrib, nimănui, nu dezvălu, paylaşmayın, kimseyle, jangan, siapa pun, sesiapa, không chia sẻ, khong chia se, bất kỳ ai, ärge jaga, nesidalin, nekam, inor',
    other:
      'никому, не сообщайте, не говорите, не передавайте, нікому, не повідомляйте, никого, не споделяйте, не делите, μην κοινοποι, μη μοιρα, κανέναν, لا تشارك, أي شخص, لأحد, هیچکس, کسی, אל תשתפ, לאף אחד, अחד, साझा न, किसी के साथ, শেয়ার করবেন না, 请勿, 切勿, 勿将, 勿泄露, 不要, 他人, 教えない, 共有しない, 공유하지, 타인, 알려주지, อย่า, ห้าม, شیئر نہ',
  },
  /** "If you did not ask for this". */
  ignore: {
    en: 'did not request, didn’t request, not request, did not make this, didn’t make this, did not initiate, didn’t initiate, safely ignore, ignore this, disregard, you requested, your request, requested a, requested to, was not you, wasn’t you, not expecting, if this was you, didn’t sign up, did not sign up, didn’t try, did not try, received a request, trying to, attempting to',
    latin:
      'nicht angefordert, ignorier, pas demandé, ignorez, n’êtes pas à l’origine, no solicit, ignora, não solicit, nao solicit, ignore, desconsidere, non hai richiesto, non hai effettuato, niet aangevraagd, negeer, negeren, inte begärt, ignorera, ikke bedt, ikke anmodet, ikke bedt om, ohita, et pyytänyt, jättää huom, zignoruj, nie prosi, ignorujte, nežádali, zanemarite, niste zatražili, prezrite, hagyja figyelmen, nem ön, ignorați, nu ați solicitat, göz ardı, dikkate almay, talep etmediyseniz, abaikan, tidak meminta, bỏ qua, bo qua, không yêu cầu, eirake, ignoree, ignoruok, ignorējiet, ez baduzu',
    other:
      'не запрашивали, проигнорируйте, игнорируйте, не вы, не запитували, проігноруйте, ігноруйте, игнорир, занемар, αγνοήστε, δεν ζητήσατε, تجاهل, لم تطلب, نادیده, התעלם, לא ביקשת, אנא התעלמו, अनदेखा, अनुरोध नहीं, উপেক্ষা, 忽略, 并非您, 非本人, 無視, お心当たり, 心当たり, 무시, 요청하지, เพิกเฉย, ไม่ได้ขอ, نظر انداز',
  },
} as const;
