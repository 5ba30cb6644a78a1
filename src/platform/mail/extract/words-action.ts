/** Words in the sentences, buttons and subject of a sign-in mail, by language. */
export const actionWords = {
  verify: {
    en: 'verif, confirm, validat, activat, reactivat, re-activat, authenticat, two-factor, two-step, 2-step, 2fa, complete your registration, complete registration, finish signing, finish your registration, complete sign, prove, reauthent, identity, finish setting up, opt in, opt-in, yes subscribe, approve, that’s me, that is me, this is me, it’s me, it was me, this was me, that’s my email, this is my email, that is my email',
    latin:
      'bestätig, verifizier, aktivier, freischalt, authentifizier, das bin ich, ich bin es, das war ich, c’est moi, c’était moi, c’est bien moi, soy yo, fui yo, sou eu, fui eu, sono io, sono stato io, sono stata io, ik ben het, dat ben ik, dat was ik, det är jag, det var jag, det er mig, det var mig, det er meg, det var meg, =to ja, to jsem já, byl jsem to já, én vagyok, én voltam, bu benim, vérifi, confirmer, confirmez, activer, activez, authentif, verifica, confirma, activa, valida, autentica, conferma, attiva, convalid, bevestig, verifie, activeer, bekräft, aktivera, bekreft, aktiver, bekræft, verifiser, vahvist, aktivo, tunnist, potwierdź, potwierdz, weryfik, aktyw, zweryfik, ověřit, ověřen, ověřov, potvrd, aktivuj, overte, potvrď, ověřte, provjer, aktivir, verifik, potrdi, megerősít, ellenőriz, aktivál, hitelesít, confirmă, activeaz, doğrula, onayla, etkinleştir, aktifleştir, aktivasyon, konfirmasi, sahkan, pengesahan, aktifkan, xác minh, xác nhận, xác thực, kích hoạt, kich hoat, xac minh, xac nhan, xac thuc, kinnita, patvirtin, apstiprin, verific, egiazta, thibitisha, hakiki, staðfest, vátta, təsdiq, tasdiqla, konfirmo, verifiko, deimhnigh, dearbh, fíor, konfirm, kumpirmah, i-verify, bestadeg, bestatg, bevestech, tabbat, jẹ́rìí, kwenye, simbisa, konfirmá, dheimhni',
    cyrillic:
      'это я, это был я, це я, подтверд, провер, активир, верифи, підтверд, перевір, активу, потвърд, потврд, активаци, пацверд, активацы, тасдиқ, расталу, баталга, провір, авторизац, идентифи, удостовер',
    greek: 'επαλήθευ, επιβεβαί, ενεργοπο, ταυτοποί, πιστοποί',
    semitic:
      'تأكيد, تاكيد, التأكيد, لتأكيد, بتأكيد, تحقق, التحقق, للتحقق, تفعيل, التفعيل, لتفعيل, أكد, مصادقة, توثيق, אימות, אמת, לאימות, לאמת, אישור, לאשר, הפעל, הפעלה, אימתו',
    iranian: 'تایید, تأیید, تائید, فعال, راستی, احراز, دڵنیا, تصدیق',
    indic:
      'सत्याप, पुष्टि, सक्रिय, पडताळ, प्रमाणि, যাচাই, নিশ্চিত, সত্যাপন, চકાસ, પુષ્ટિ, ચકાસ, ਪੁਸ਼ਟੀ, ਤਸਦੀਕ, சரிபார், உறுதி, ధృవీక, నిర్ధార, ಪರಿಶೀಲ, ದೃಢೀಕ, സ്ഥിരീക, പരിശോധ, තහවුරු, සත්‍යාප, ଯାଞ୍ଚ, নিশ্চয়, पुष्टी, تصديق',
    east: '验证, 驗證, 确认, 確認, 激活, 啟用, 启用, 校验, 認證, 认证, 身份, 核实, 認証, 検証, 本人確認, 私です, 有効化, 有効に, 인증, 확인, 활성화, 본인',
    southeast: 'ยืนยัน, ตรวจสอบ, เปิดใช้, ຢືນຢັນ, ផ្ទៀងផ្ទាត់, បញ្ជាក់, အတည်ပြု',
    caucasus: 'დადასტურ, დაადასტურ, აქტივ, ვერიფი, հաստատ, ակտիվ',
  },
  signin: {
    en: 'sign in, sign-in, signin, signing in, sign into, log in, log-in, login, logging in, log into, sign up, sign-up, signup, register, registration, magic link, authoriz, authoris, log me in, sign me in, access your account, access to your account, continue to, get access, let me in',
    latin:
      'anmeld, einlogg, registrier, connexion, connecter, connectez, inscri, inicia sesión, iniciar sesión, inicio de sesión, inicie sesión, accede, ingresar, entrar, acessar, fazer login, faça login, registr, accedi, accesso, inlog, log mij in, log me in, te loggen, aanmeld, aantek, logga in, inlogg, logg inn, innlogg, log ind, kirjaudu, kirjautu, rekister, zaloguj, logow, rejestr, přihlás, prihlás, regist, prijav, prisij, bejelentkez, belép, regisztr, autentific, conecta, intra în, giriş, oturum, kayıt, kaydol, daftar, log masuk, đăng nhập, đăng ký, dang nhap, dang ky, logi sisse, prisijung, pieslēg, pieteik, saio, ingia, innskrá, daxil ol, kirish, hyni, kyçu, logáil, ensalut, umelle, mag-log, mag-sign, shiga, wọlé, aloha, giriş bağlantı',
    cyrillic:
      'войти, вход, входа, вхід, увійти, регистрац, реєстрац, влез, пријав, регистр, уваход, увайсці, кіру, найав, авториз',
    greek: 'σύνδεση, συνδεθ, εγγραφ, είσοδο',
    semitic:
      'تسجيل الدخول, لتسجيل الدخول, سجل الدخول, تسجيل, الدخول, دخول, התחבר, כניסה, היכנס, להתחבר, הירשם, הרשמה, התחברות',
    iranian: 'ورود, وارد شوید, ثبت نام, ثبت‌نام, لاگ ان, سائن ان',
    indic:
      'लॉग इन, लॉगिन, साइन इन, पंजीकर, লগ ইন, লগইন, সাইন ইন, લૉગ ઇન, લોગિન, ਲੌਗਇਨ, உள்நுழை, లాగిన్, ಲಾಗಿನ್, ലോഗിൻ, පිවිස, ලියාපදිංචි, प्रवेश, লগিন, ଲଗଇନ',
    east: '登录, 登錄, 登入, 注册, 註冊, ログイン, サインイン, 登録, 로그인, 가입, 등록, 접속',
    southeast: 'เข้าสู่ระบบ, ลงชื่อเข้า, ลงทะเบียน, ເຂົ້າສູ່, ចូល, ဝင်ရောက်',
    caucasus: 'შესვლა, რეგისტრ, մուտք, գրանց',
  },
  /** A lost or new password, a locked account. */
  reset: {
    en: 'reset, recover, forgot, new password, change my password, change your password, change password, set password, set your password, set a password, choose a password, choose a new, create password, create a password, create new password, set up your password, unlock, restore access, regain, set up a new password',
    latin:
      'zurücksetz, passwort ändern, neues passwort, passwort erstellen, passwort anlegen, passwort wählen, créer mon mot, créer un mot de passe, créez votre mot, créez un mot de passe, crea la password, crea una password, wachtwoord aanmaken, opret adgangskode, vælg adgangskode, vælg ny, luo salasana, utwórz hasło, vytvořit heslo, vytvoriť heslo, jelszó létrehoz, creează o parolă, şifre oluştur, parola oluştur, tạo mật khẩu, entsperr, réinitialis, nouveau mot, changer mon mot, modifier mon mot, débloqu, déverrouill, restablec, recuper, cambiar mi contraseña, nueva contraseña, desbloq, redefin, nova senha, alterar, mudar minha, reimpost, reimposta, ripristin, cambia la, nuova password, sblocc, herstel, opnieuw instel, wachtwoord wijzig, wachtwoord verander, ontgrendel, deblokk, återställ, lås upp, byt lösenord, ändra mitt lösen, tilbakestill, nulstil, skift, lås op, endre passord, endre mitt, palauta, nollaa, vaihda salasana, avaa, zresetuj, resetuj, zmień, odzysk, odblok, obnov, změnit, zmeniť, reset, odemk, odomk, ponastav, otključ, promijeni, promeni, spremeni, odklen, visszaállít, megváltoztat, új jelszó, felold, resetează, resetare, schimb, debloc, sıfırla, değiştir, kilid, atur ulang, ubah, setel, buka kunci, tetapkan semula, đặt lại, thay đổi mật khẩu, mở khóa, khôi phục, lähtesta, muuda, keisti, atstat, maini, atiest, berrezarri, aldatu, desblokea, badilisha, endurstill, breyta, sıfırlan, bərpa, dəyiş, ndrysho, rivendos, athraigh, athshocrú, ŝanĝi, wagwoord verander',
    cyrillic:
      'сброс, создать пароль, придумайте пароль, установить пароль, створити пароль, восстанов, изменить пароль, сменить, новый пароль, разблок, скин, віднов, змінити, розблок, възстанов, смени, отключ, промен, ресетуј, промени, откључ, скід, змяніць, разблак',
    greek: 'επαναφορ, αλλαγή, αλλάξ, ξεκλείδ, ανάκτηση',
    semitic:
      'إعادة تعيين, اعادة تعيين, استعادة, تغيير كلمة, تبدال, تبديل, فتح القفل, إلغاء قفل, إلغاء القفل, الغاء قفل, איפוס, אפס, שחזור, שנה סיסמ, שינוי סיסמ, שחרר, החלף סיסמ',
    iranian: 'بازنشانی, بازیابی, تغییر رمز, تغییر گذر, باز کردن قفل, تغییر کلمه, ری سیٹ, بحال, تبدیل',
    indic:
      'रीसेट, पासवर्ड बदल, पुनः, अनलॉक, রিসেট, পুনরুদ্ধার, পরিবর্তন, আনলক, રીસેટ, ਰੀਸੈੱਟ, மீட்டமை, రీసెట్, ಮರುಹೊಂದಿಸ, പുനഃസജ്ജ, යළි, නැවත, වෙනස්',
    east: '重置, 创建密码, 建立密碼, 重設, 重设, 找回, 修改密码, 更改密码, 變更密碼, 更改密碼, 修改密碼, 恢复, 恢復, 解锁, 解鎖, リセット, 再設定, パスワードを変更, パスワード変更, パスワードの変更, ロック解除, ロックを解除, 再発行, 재설정, 초기화, 변경, 복구, 잠금',
    southeast: 'รีเซ็ต, ตั้งรหัสผ่าน, เปลี่ยนรหัส, ปลดล็อก, กู้คืน, ປ່ຽນ, ຕັ້ງ, កំណត់, ប្តូរ, ပြန်လည်',
    caucasus: 'აღდგენ, შეცვლ, განბლოკ, վերականգն, փոխել',
  },
  invite: {
    en: 'accept, invit, =join, joining, join us, join the, rsvp to the team, become a member',
    latin:
      'annehmen, einlad, beitreten, accepter, acceptez, rejoin, acept, únete, unirse, unirte, convid, aceit, junte, participar, accett, invito, partecip, unisciti, uitnod, accepteer, deelnem, inbjud, gå med, acceptera, invitasjon, innby, godta, bli med, deltag, accepter, kutsu, hyväksy, liity, zaprosz, akcept, dołącz, pozv, přijm, připoj, prijm, pripoj, pozivn, prihvat, pridruž, povabil, sprejm, meghív, elfogad, csatlakoz, alătur, davet, katıl, kabul, undang, bergabung, jemput, sertai, mời, tham gia, chấp nhận, kutse, liitu, pakviet, prisijunkite prie, ielūg, uzaicin, pievieno, gonbid, onartu, mwaliko, kubali, boð, dəvət, ftes, pranoj, cuireadh',
    cyrillic:
      'приглаш, принять, присоедин, запрош, прийняти, приєдна, покан, приемете, присъедин, позив, прихват, придруж, прифат, запраш, далуч',
    greek: 'πρόσκλη, αποδοχ, αποδεχ, συμμετ',
    semitic: 'دعوة, الدعوة, دعوتك, قبول, انضم, للانضمام, الانضمام, הזמנ, קבל, הצטרף, להצטרף',
    iranian: 'دعوت, پذیرفتن, پیوست, قبول',
    indic: 'आमंत्र, निमंत्र, स्वीकार, शामिल, আমন্ত্রণ, গ্রহণ, যোগ দ, આમંત્ર, ਸੱਦਾ, அழைப்ப, ஆహ్వాన, ఆహ్వాన, ಆಹ್ವಾನ, ക്ഷണ, ආරාධන',
    east: '邀请, 邀請, 接受, 加入, 招待, 参加, 承諾, 초대, 수락, 참여, 참가',
    southeast: 'เชิญ, เข้าร่วม, ยอมรับ, ເຊີນ, អញ្ជើញ, ចូលរួម, ဖိတ်',
    caucasus: 'მოწვევ, մասնակց, հրավեր',
  },
  /** Labels of a button that continues. */
  go: {
    latin:
      'click, follow, button, tap, continue, proceed, get started, here, =link, klick, schaltfläche, cliquez, lien, bouton, suivez, continuer, haz clic, haga clic, enlace, botón, continuar, clique, botão, clicca, pulsante, segui, collegamento, klik, knop, volg, doorgaan, skakel, länk, knapp, fortsätt, lenke, trykk, fortsett, tryk, knap, fortsæt, linkki, napsauta, painike, jatka, kliknij, przycisk, kontynuuj, klikn, odkaz, tlačítk, pokrač, poveznic, gumb, nastav, povezav, kattint, hivatkoz, gomb, folytat, butonul, tıkla, bağlantı, düğme, devam, tautan, tombol, lanjut, pautan, butang, nhấn, nhấp, liên kết, liên hệ, tiếp tục, nupp, nuoroda, spustel, saiti, esteka, kiungo, bofya',
    other:
      'нажмите, ссылк, кнопк, перейд, натисніть, посилан, щракнете, връзка, бутон, кликн, везу, πατήστε, σύνδεσμο, κουμπί, κάντε κλικ, اضغط, انقر, الرابط, رابط, زر, لینک, پیوند, کلیک, دکمه, לחץ, לחצו, קישור, כפתור, लिंक, क्लिक, बटन, লিঙ্ক, ক্লিক, 点击, 點擊, 链接, 連結, 按钮, 按鈕, クリック, リンク, ボタン, 클릭, 링크, 버튼, 누르, คลิก, ลิงก์, ลิงค์, ปุ่ม, ბმულ',
  },
  /** Labels of the other button: it was not me. */
  deny: {
    en: 'deny, decline, reject, report this, report it, report an, report a , not me, wasn’t me, was not me, wasn’t you, was not you, revoke, secure your account, secure my account, secure account, cancel, undo, block, not you, don’t recognize, do not recognize, didn’t make, did not make, did not create, didn’t create, lock my account, review activity, check activity, review your account, do not want, don’t want, no longer, =disable, remove your email, remove your address, remove this email, remove this address, unlink your email, delete your account',
    latin:
      'ablehnen, nicht ich, melden, stornier, widerruf, sperren, abbrech, abbruch, ungültig mach, intrekken, blokke, ongeldig, bloquer, invalider, bloque, anul, invalid, blocca, revoc, spärr, spärra, makulera, sperr, trekk tilbake, tilbagekald, mitätö, unieważ, zablokuj, zneplatn, zablok, poništ, blokir, preklic, prekliči, letilt, visszavon, revocă, blochea, engelle, geçersiz, blokir, cabut, thu hồi, tühista, atšauk, atsauk, anulo, refuser, signaler, annuler, ce n’était pas, rechaz, denunci, cancel, no fui, recus, non sono stato, rifiut, annull, segnala, weiger, annuleer, afwijz, avvisa, neka, avbryt, avslå, afvis, annuller, hylkää, peruuta, odrzuć, anuluj, zgłoś, odmít, odmiet, zrušit, zrušiť, odbij, otkaži, zavrn, elutasít, mégse, refuz, anul, reddet, iptal, tolak, batal, từ chối, hủy',
    other:
      'отклон, отмен, отзов, аннулир, заблок, скасу, відкли, адмян, адклі, блокир, поништ, блокувај, не я, сообщить о, відхил, скасув, откаж, одбиј, απόρριψ, ακύρω, رفض, إلغاء, الإبلاغ, رد کردن, לغو, דחה, ביטול, दूर, अस्वीकार, 拒绝, 拒絕, 取消, 作废, 作廢, 撤销, 撤銷, 停用, 取り消, 無効に, 不是我, 拒否, 辞退, 거절, 취소, 신고, ปฏิเสธ, ยกเลิก',
  },
} as const;
