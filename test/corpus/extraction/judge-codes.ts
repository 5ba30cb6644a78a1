import { readMails } from './judge-layouts.ts';

/** Mails with a code where it is easily missed: in the subject only, in an image, long, or beside a user name. */
export const judgeCodes = readMails(`
=== fr simple code dans l'objet seulement
Cinémathèque Lanterne <compte@cine-lanterne.example>
{376810}, votre code pour vous connecter
Bonjour,
le code se trouve dans l'objet de ce message. Il cesse de fonctionner au bout de quinze minutes.
- Cinémathèque Lanterne, 8 quai des Brumes, carte n° 7975115
=== ja text 件名のみ
ほしぞら電鉄 <touroku@hoshizora-dentetsu.example>
【ほしぞら電鉄】認証コード：{3488}
件名に記載の認証コードをアプリに入力してください。
お心当たりのない場合は破棄してください。
=== id card kode hanya di subjek
Ojek Kancil <masuk@ojekkancil.example>
Kode masuk Anda {8954}
Kode untuk masuk ada di judul email ini. Berlaku 3 menit.
- Bantuan: 0804 4 239 812
=== pt-br simple código só no assunto
Feira do Livro Mandacaru <entrada@feiramandacaru.example>
Código de acesso: {DPE-WDD}
Digite no site o código que está no assunto deste e-mail. Ele expira em 20 minutos.
=== ko table 이미지 속 인증번호
소나무우체국 <mail@sonamu-post.example>
로그인 확인
아래 이미지의 인증번호를 입력해 주세요.
img: 인증번호 {513186}
이미지가 보이지 않으면 이미지 표시를 눌러 주세요. 문의 02-4654-7708
=== es table código en la imagen
Museo del Salitre <amigos@museosalitre.example>
Tu código de un solo uso
Teclea el código que ves en la imagen.
img: Código de un solo uso: {NDJYL8}
Si no se muestra, permite las imágenes de este remitente.
=== tr breaks kurtarma kodu
Anahtarlık <yardim@anahtarlik.example>
Kurtarma kodunuzu saklayın
İki adımlı doğrulama açıldı. Telefonunuzu kaybederseniz bu kurtarma koduyla giriş yapabilirsiniz:
{rx3p s9cu zag6 2f6g}
=== ko dense 복구 코드
자물쇠노트 <safe@jamulsoe-note.example>
복구 코드를 안전한 곳에 보관하세요
휴대전화를 잃어버렸을 때 아래 복구 코드로 로그인할 수 있습니다.
복구 코드: {H4WXTMST9H6CKWAY}
한 번만 사용할 수 있습니다.
=== nl card herstelcode
Sleutelkluis <hulp@sleutelkluis.example>
Je herstelcode
Raak je je telefoon kwijt? Dan kun je met deze herstelcode toch inloggen.
> {QVCG2-V83AA-MEX3D}
Print de code en bewaar hem ergens veilig.
=== ja simple 復旧コード
かぎばこ <support@kagibako.example>
復旧コードのお知らせ
スマートフォンを紛失したときは、次の復旧コードでログインできます：{gaf74wt7hywcauvb}
一度使うと無効になります。
=== gl card nome de usuario e código
Concello de Vilarbó <sede@vilarbo.example>
Acceso á sede electrónica
O teu nome de usuario é: brais803
Para cambiar o contrasinal, escribe este código:
> {38112457}
Número de expediente: 4824/158822
=== af dense gebruikersnaam
Wynland Biblioteek <lede@wynlandbib.example>
Jou gebruikersnaam
Jou gebruikersnaam is: annelie65
Jou lidnommer is: 1208265
Gebruik kode {FC8097} om jou wagwoord te herstel.
=== mk table корисничко име
Градска библиотека Билјана <clenovi@gb-biljana.example>
Вашето корисничко име
Вашето корисничко име е: stojan826
Код за нова лозинка:
> {YH96-9UFT}
Членска карта бр. 790157
=== be pair адмяніць код
Праменьчык <uvahod@pramienczyk.example>
{75242} — ваш код для ўваходу
Увядзіце {75242} у дадатку.
Гэта былі не вы? [Адмяніць код](https://pramienczyk.example/admiana/4whb8pb8cwq)
- Вул. Лугавая 3, Гродна, УНП 545189573
=== lb card Benotzernumm a Code
Bibliothéik Uelzecht <lieser@bib-uelzecht.example>
Zougang erëmhierstellen
Äre Benotzernumm ass: claudine58
De Code fir e neit Passwuert ass {RWULS2}.
Är Lieserkaart: 87855807
=== sq pair anulo kodin
Posta e Bardhë <hyrja@postaebardhe.example>
Kodi i hyrjes
Kodi juaj i hyrjes është {68118}.
Nuk e kërkuat ju? [Anuloni kodin](https://postaebardhe.example/anulo/HP5RWfscrW)
- NIPT L60839235K
=== sl both preklic kode
Modra Pošta <prijava@modraposta.example>
Potrditev nove naprave
Kodo {789-166} vpišite v napravo, na kateri se prijavljate.
Niste bili vi? [Prekličite kodo](https://modraposta.example/preklic/f4cba74c76ba)
=== is card afturkalla kóða
Hraunpóstur <adgangur@hraunpostur.example>
Innskráningarkóði
Kóðinn þinn er {850216}.
Baðst þú ekki um hann? [Afturkalla kóðann](https://hraunpostur.example/afturkalla/fiiki3h6qixq)
`);
