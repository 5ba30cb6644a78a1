import { readMails } from './judge-layouts.ts';

/** Mails with a magic link, some with a code too, in many languages. */
export const judgeLinks = readMails(`
=== en both code inside the link too
Foxglove Studio <login@foxglove-studio.example>
Log in to Foxglove Studio
Hi Leila, use {479684} or press the button on the device where you want to sign in.
[!Log in](https://foxglove-studio.example/login/verify?code=479684&s=u7dsbs)
[This wasn't me](https://foxglove-studio.example/login/deny?s=p56d9gd)
- Foxglove Studio · 900 Alder Street · Portland, OR 97745
=== en table activate with a PIN to type
Brightwater Council <eforms@brightwater-council.example>
Activate your eForms account
Thank you for registering. Select the button, then type the activation PIN when the page asks for it.
| Activation PIN | {4966}
| Reference | EF-9215226
[!Activate account](https://eforms.brightwater-council.example/activate/ERTUG36N)
- Brightwater Council, Civic Way. This mailbox is not read.
=== en markdown verify address
Gantry CI <robot@gantry-ci.example>
Verify gantry-ci.example for mwilson95
Almost there! We only need to know that this address is yours.
[!Verify email address](https://gantry-ci.example/users/emails/4242807/confirm/69fbaffd44f1311065b0)
Not using Gantry any more? [Delete the account](https://gantry-ci.example/settings/delete)
=== en dense invitation declined or accepted
Parish Rota <rota@parishrota.example>
Helen asked you to join the flower rota
Say yes or no, either is fine:
[!Accept](https://parishrota.example/r/7JC5uz/y)
[Decline](https://parishrota.example/r/6G72r6/n)
=== en card set your first password
Tollgate HR <onboarding@tollgate-hr.example>
Your first day at Ambler & Co
Welcome, Oluwaseun! Your employee number is 675433 and your user name is oadebayo41.
[!Set password](https://tollgate-hr.example/w/bnxah5cFq)
[Read the handbook](https://tollgate-hr.example/docs/handbook.pdf)
=== en breaks unlock the account
Marlin Brokers <support@marlinbrokers.example>
Account locked
We locked your account 4421-xx after five wrong passwords.
[!Unlock my account and sign in](https://e.marlinbrokers.example/l/AwWW2XNR/L6yJ6)
[Contact support](https://e.marlinbrokers.example/l/zDBTC8ac/uLqs2)
Member SIPC. CRD 771085.
=== de card Code und Link
Notizwerk <anmeldung@notizwerk.example>
Anmelden bei Notizwerk
Hallo Sebastian,
melde dich mit einem Klick an oder gib den Code {557487} ein.
[!Jetzt anmelden](https://notizwerk.example/login?c=557487&n=sebastian62)
=== de table Konto freischalten
Imkerverein Havel <vorstand@imker-havel.example>
Bitte schalten Sie Ihr Konto frei
Sehr geehrte Frau Nowak, Ihr Mitgliedsantrag Nr. 05503 wurde angenommen.
[!Konto freischalten](https://imker-havel.example/frei/ajn4/nz96)
[Satzung lesen](https://imker-havel.example/satzung)
- VR 3648, Amtsgericht Potsdam
=== de simple Newsletter bestätigen
Die Kräuterpost <redaktion@kraeuterpost.example>
Nur noch ein Klick
Bitte bestätigen Sie, dass Sie unsere Kräuterpost lesen möchten.
[!Ja, ich möchte](https://kraeuterpost.example/ok/hZ3itjzsG)
=== nl table wachtwoord kiezen
Camping Duinzicht <receptie@duinzicht.example>
Kies een nieuw wachtwoord
U kunt met onderstaande knop een nieuw wachtwoord instellen voor reservering 6290124.
[!Wachtwoord instellen](https://link.duinzicht.example/k/JXp2tjw/dsF8)
[Plattegrond](https://link.duinzicht.example/k/uEQEs2t/a8sP)
=== sv card logga in med länk
Skidklubben Vidar <logga-in@skvidar.example>
Din inloggningslänk
Tryck på knappen för att logga in. Länken kan användas en gång.
[!Logga in](https://skvidar.example/in/r2587ck7)
Fungerar det inte? Skriv koden {L6DGRL} i appen.
=== nb table bli med
Dugnadslista <hei@dugnadsliste.example>
Kari har lagt deg til i vårdugnaden
Hei! Borettslaget samler naboene for å rydde uteområdet. Trykk på knappen for å komme med i gruppen.
[!Bli med](https://dugnadsliste.example/d/zjA4qC)
[Se listen](https://dugnadsliste.example/liste)
=== da simple nulstil adgangskode
Vinterbadning Amager <post@vinterbad-amager.example>
Nulstil din adgangskode
Hej Jakob, vi har fået besked om, at du ikke kan komme ind på din profil.
Tryk her for at vælge en ny adgangskode: [!Nulstil adgangskode](https://vinterbad-amager.example/n/Wj5vM6wsDS)
Har du ikke bedt om det, kan du bare slette mailen.
=== is simple virkja aðgang
Sundlaugin Hver <sund@sundlaugin-hver.example>
Virkjaðu aðganginn þinn
Sæll Ólafur, takk fyrir að skrá þig á vefnum okkar. Smelltu á hnappinn til að ljúka skráningunni.
[!Virkja aðgang](https://sundlaugin-hver.example/v/8mzf5zr9)
Sjáumst í sundi!
=== fr both code et lien
Papeterie Ardoise <connexion@papeterie-ardoise.example>
Connexion à Papeterie Ardoise
Votre code : {195312}
Ou connectez-vous directement :
[!Se connecter](https://papeterie-ardoise.example/connexion/195312/w27vxnbx)
[Je n'ai rien demandé](https://papeterie-ardoise.example/signaler)
=== fr table activer le compte
Ludothèque du Canal <accueil@ludotheque-canal.example>
Activez votre compte lecteur
Votre carte n° 24425820 est prête à l'accueil.
[!Activer](https://suivi.ludotheque-canal.example/z/f8MQt/nkhE8)
[Nos horaires](https://suivi.ludotheque-canal.example/z/cR973/ZcCw5)
- Association loi 1901, SIRET 558 278 031 00149
=== fr markdown confirmer l'adresse
Randonneurs du Vexin <infos@rando-vexin.example>
Confirmez votre adresse
Merci de votre inscription ! Confirmez votre adresse ici :
[!Confirmer mon adresse](https://rando-vexin.example/confirmer/juw3shx3i)
=== es both código y enlace
Cuaderno Azul <entrar@cuadernoazul.example>
Tu acceso a Cuaderno Azul
Escribe este código en la aplicación: {0791-9078}
O entra directamente:
[!Entrar](https://cuadernoazul.example/e/yLiZ8VzJ)
=== es table aceptar invitación
Cooperativa La Milpa <hola@lamilpa.example>
Te nombraron tesorera
Don Anselmo quiere que lleves las cuentas de la cooperativa.
[!Aceptar](https://r.lamilpa.example/x/jw6jhm/ev6ws)
[Ver estatutos](https://r.lamilpa.example/x/8jxcmh/m4463)
=== pt text confirmar e-mail
Rancho Folclórico de Loures <secretaria@rancholoures.example>
Confirme o seu e-mail
Olá, Beatriz. Confirme o seu endereço através desta ligação:
<!https://rancholoures.example/c/hy2qeh6gnr>
Sócio n.º 0615
=== pt-br table redefinir senha
Escola de Samba Aurora <secretaria@sambaaurora.example>
Redefina sua senha
Clique no botão para criar uma nova senha.
[!Criar nova senha](https://sambaaurora.example/s/hhtb3qQ)
Se não foi você, [avise a gente](https://sambaaurora.example/avise).
=== it card accetta invito
Orto Condiviso <ciao@ortocondiviso.example>
Davide vuole dividere l'orto con te
Ciao Marta! Davide ti propone di coltivare insieme il suo lotto.
[!Accetta l'invito](https://ortocondiviso.example/p/nn4f/ti9e)
Lotto 17, ex vivaio comunale.
=== it both codice e collegamento
Quaderno Digitale <accesso@quadernodigitale.example>
Accedi a Quaderno Digitale
Il tuo codice: {D9F2-E4XK}
[!Accedi subito](https://quadernodigitale.example/a/rKUUmW8mHF)
=== ca dense restablir contrasenya
Forn de Pa Vilanova <botiga@fornvilanova.example>
Restableix la contrasenya
Fes clic en aquest enllaç per triar una contrasenya nova:
<!https://fornvilanova.example/clau/e3ez4piwd>
=== ro table alătură-te
Echipa Carpați Trail <echipa@carpatitrail.example>
Ești invitat la cursa de sâmbătă
Salut, Vlad! Mihai te-a adăugat în echipa lui.
[!Alătură-te](https://carpatitrail.example/c/U9GXbg)
Plecarea este la 7:30 din Piața Sfatului.
=== pl both kod i link
Zeszyt <logowanie@zeszyt-app.example>
Zaloguj się do aplikacji Zeszyt
Kod: {398813}
[!Zaloguj się](https://zeszyt-app.example/l/398813?u=5ay9xm)
Jeśli to nie Ty, zignoruj tę wiadomość.
=== pl table ustaw hasło
Przedszkole Kasztanek <sekretariat@kasztanek.example>
Konto rodzica czeka
Dzień dobry, założyliśmy dla Pani konto w naszym portalu. Prosimy ustawić własne hasło.
Identyfikator dziecka: 233512
[!Ustaw hasło](https://kasztanek.example/r/t3ubgPeX)
[Jadłospis](https://kasztanek.example/menu)
- Przedszkole nr 17, ul. Kasztanowa 2, tel. 42 858 90 63
=== cs card přijmout pozvánku
Skautský oddíl Bobři <oddil@bobri.example>
Pozvánka do oddílu
Ahoj Matěji, vedoucí Kuba tě zve do našeho oddílu. Pozvánku přijmeš tlačítkem.
[!Přijmout pozvánku](https://bobri.example/p/ddqnn27)
Výprava začíná v pátek v 16:30.
=== sk both potvrdenie adresy
Kníhkupectvo Orech <ahoj@knihyorech.example>
Potvrďte svoju adresu
Dobrý deň, Zuzana, vytvorili ste si účet v našom obchode. Už len potvrďte, že adresa patrí vám.
[!Potvrdiť adresu](https://knihyorech.example/o/p4FvhATJq)
Zľavu 10 % uvidíte v košíku.
=== hr table aktiviraj račun
Glazbena škola Krešendo <upisi@kresendo.example>
Aktivirajte račun
Poštovani roditelji, prijava je zaprimljena. Račun možete aktivirati odmah.
Upisni broj: 59328
[!Aktiviraj račun](https://kresendo.example/a/uieKcn8)
- Glazbena škola Krešendo, Trg svetog Marka 6, Šibenik, tel. 022 424 755
=== bg table нова парола
Кино Одеон <bilety@kino-odeon.example>
Смяна на парола
Здравейте, получихме искане за смяна на паролата за профила на desislava27.
Натиснете бутона, за да изберете нова парола.
[!Нова парола](https://kino-odeon.example/p/td77kxZWy)
Ако не сте го изпратили Вие, не правете нищо.
=== ru table подтвердить почту
Магазин «Лукошко» <shop@lukoshko.example>
Подтвердите почту
Остался последний шаг: подтвердите адрес.
[!Подтвердить](https://go.lukoshko.example/m/FzJLe7/2zbL)
[Каталог](https://go.lukoshko.example/m/Rq7j79/7c5G)
- ИП Гусев А. В., ОГРНИП 270850874630198
=== ru both код и ссылка
Заметки «Скрепка» <vhod@skrepka-notes.example>
Вход в «Скрепку»
Код для входа: {351 471}
[!Войти](https://skrepka-notes.example/v/ePartvC4Gh)
Если вы не входили, просто удалите письмо.
=== uk dense скидання пароля
Книгарня Ліхтарик <dopomoha@likhtaryk.example>
Скидання пароля
Щоб створити новий пароль, перейдіть за посиланням:
<!https://likhtaryk.example/p/t8nv7kd5jw>
=== et table liitu meeskonnaga
Orienteerujad <klubi@orienteerujad.example>
Kristjan kutsus sind meeskonda
Tere, Mari! Vajuta nuppu ja oledki kirjas.
[!Liitu](https://orienteerujad.example/l/vC9r9V)
Start on laupäeval kell 11.
=== lv both jauna parole
Teātris Pērle <kase@teatrisperle.example>
Jauna parole
Labdien, Kārli! Mēs saņēmām lūgumu nomainīt Jūsu paroli.
Nospiediet pogu un izvēlieties jaunu paroli.
[!Izvēlēties paroli](https://teatrisperle.example/p/c3vc5n2i)
- SIA „Teātris Pērle”, reģ. nr. 56905194005
=== hu table jelszó beállítása
Duna Evezősök <titkar@dunaevezosok.example>
Állítsa be jelszavát
Tisztelt Klubtag! Elkészült az új tagi felületünk, az első belépéshez jelszót kell választania.
Tagsági száma: 79629
[!Jelszó beállítása](https://dunaevezosok.example/j/C39E7UaN)
Ha a gomb nem működik, írjon a titkárságnak.
=== el card ενεργοποίηση λογαριασμού
Ψαροταβέρνα Γλάρος <kratiseis@glaros.example>
Ενεργοποιήστε τον λογαριασμό σας
Αγαπητέ κύριε Νίκο, ευχαριστούμε για την εγγραφή σας. Πατήστε το κουμπί για να ολοκληρωθεί.
[!Ενεργοποίηση](https://glaros.example/e/8y96pje)
Σας περιμένουμε!
=== tr table hesabı etkinleştir
Zeytin Dalı Kooperatifi <uye@zeytindali.example>
Hesabınızı etkinleştirin
Merhaba Hasan Bey, kooperatifimize hoş geldiniz.
Üye numaranız 344879 olarak kaydedildi.
[!Etkinleştir](https://zeytindali.example/e/wy5gAH)
- Zeytin Dalı Kooperatifi, Ayvalık · [Bize ulaşın](https://zeytindali.example/iletisim)
=== ky table эсепти активдештирүү
Манас Окуу Борбору <okuu@manas-okuu.example>
Эсебиңизди активдештириңиз
Катталганыңыз үчүн рахмат!
[!Активдештирүү](https://manas-okuu.example/a/MDzxh7di)
Суроолоруңуз болсо, [бизге жазыңыз](https://manas-okuu.example/jardam).
=== fa table پیوستن به گروه
گروه کوهنوردی دماوند <gorooh@damavand-kooh.example>
دعوت به گروه
سارا شما را به گروه دعوت کرده است.
[!پیوستن](https://damavand-kooh.example/p/dLT7eLR)
- این پیام به درخواست سارا فرستاده شده است. [گزارش](https://damavand-kooh.example/report)
=== zh-cn both 验证码和链接
墨点笔记 <login@modian-note.example>
登录墨点笔记
验证码：{816916}
您也可以点击按钮直接登录。
[!立即登录](https://modian-note.example/l?c=816916&k=7f7gw)
如果不是您本人操作，请忽略此邮件。
=== zh-tw table 接受邀請
山友會 <invite@shanyou.example>
志明邀請您加入登山隊
[!接受邀請](https://r.shanyou.example/t/c4tzH/i22Eb)
[活動行程](https://r.shanyou.example/t/Y44Fc/pR2JX)
=== ja table ログイン用リンク
つむぎ手帳 <login@tsumugi-techo.example>
ログイン用リンクをお送りします
下のボタンを押すとログインできます。リンクは15分間有効です。
[!ログインする](https://tsumugi-techo.example/l/dHpTYua3d)
または、コード {164676} を入力してください。
=== ja card メールアドレスの確認
そよかぜヨガ <studio@soyokaze-yoga.example>
メールアドレスをご確認ください
会員番号 204820 のお客様
[!メールアドレスを確認](https://soyokaze-yoga.example/k/8dz3tmq5)
ご登録のお名前：小林さくら 様
=== ko table 이메일 인증
들꽃식물원 <member@deulkkot.example>
이메일 인증을 완료해 주세요
박지우님, 가입해 주셔서 고맙습니다. 아래 버튼을 눌러 이메일 주소를 인증해 주세요.
[!이메일 인증하기](https://deulkkot.example/v/YTXeVM5g)
버튼은 24시간 동안 사용할 수 있습니다.
- 들꽃식물원 강원도 평창군 산길 27 · 전화 033-855-7305
=== vi table kích hoạt
Lớp Vẽ Mây <lopve@lopvemay.example>
Kích hoạt tài khoản
Chào chị Hạnh, chị đã đăng ký lớp màu nước tối thứ Năm.
Mã học viên của bạn là HV96039.
[!Kích hoạt](https://lopvemay.example/k/9iBqsS)
[Xem lịch học](https://lopvemay.example/lich)
=== id card atur ulang sandi
Sanggar Tari Melati <admin@sanggarmelati.example>
Atur ulang kata sandi
Halo Dewi, kami menerima permintaan untuk mengganti kata sandi Anda.
[!Buat kata sandi baru](https://sanggarmelati.example/s/uw5jmxx3e)
Abaikan email ini jika Anda tidak memintanya.
=== th card เปิดใช้งานบัญชี
ร้านหนังสือใบไม้ <hello@baimai-books.example>
เปิดใช้งานบัญชีของคุณ
สวัสดีคุณวิภา กดปุ่มด้านล่างเพื่อเริ่มใช้งาน
[!เปิดใช้งาน](https://baimai-books.example/a/9Eg7Hng)
ขอบคุณที่สมัครสมาชิก
`);
