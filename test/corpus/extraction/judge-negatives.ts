import { readMails } from './judge-layouts.ts';

/** Mails of daily life with neither a code nor a magic link, in many languages. */
export const judgeNegatives = readMails(`
=== en both gift card
Thimble & Thread <gifts@thimblethread.example>
You received a £25 gift card
From Aunt Maureen: "Buy yourself some wool!"
| Gift card code | TQ29-R5DE-8GYQ
| PIN | none needed
[See the shop](https://thimblethread.example/wool)
=== en table verification done
Onyx Rentals <hosts@onyxrentals.example>
Verification complete
Your identity has been verified and your listing #38837589 is live. There is nothing left for you to do.
[View listing](https://onyxrentals.example/rooms/660212530)
[Share it](https://onyxrentals.example/s/ZLQ2HkT4cp)
=== en simple software release
Kiln 8.4 <releases@kiln-editor.example>
Kiln 8.4.2 (build 92687) is out
Fixed: sign-in codes were not accepted on ARM64 laptops (KILN-2956).
SHA-256: edcabbdaad2dda587b07d865fd1d7125b9d630646502ae05042eab0756007940
=== en text support ticket
Bracken Hosting <support@brackenhosting.example>
[#2694411] Verification code not arriving
Hello Ivo,
thanks for writing. The codes are sent by text message, so please check that the number ending in 107 is still yours.
Ticket password: not required. Reply above this line.
=== en card security alert with settings link
Mistral Mail <alerts@mistral-mail.example>
New app password created
An app password named "Printer HP-M030" was created for your account at 10:24.
[Review activity](https://mistral-mail.example/security/activity?e=e555619a2403ab6f)
=== en dense school run
Holly Lane School <office@hollylane.example>
Bus 629: change of stop
From Monday the bus for class 4B stops at 114 Holly Lane.
Emergency line 0161 489 8351.
=== en table survey
Tidewater Ferries <feedback@tidewaterferries.example>
How was sailing TF4757?
Your feedback code for the paper form is 215-zgz. It takes two minutes.
[Start survey](https://survey.tidewaterferries.example/s/sgi7zG3emF8ZywNi)
=== en text police report
Northgate Lost Property <desk@northgate-lost.example>
We have logged your umbrella
Item number: LP113592
Quote it whenever you phone us on 555-7697. Claims close after 90 days.
=== de card Sendung
Paketfuchs <zustellung@paketfuchs.example>
Heute kommt Ihr Paket
Sendungsnummer: 4303 9690 5960
Voraussichtlich 14:20-15:50 Uhr. Eine Unterschrift genügt.
[Live verfolgen](https://paketfuchs.example/live/5B6QQVKE76DZ)
=== de text Kündigung bestätigt
Funknetz Harz <service@funknetz-harz.example>
Bestätigung Ihrer Kündigung
Vertragsnummer 722973776, Rufnummer 0151 41462278
Wir bestätigen das Vertragsende zum 31.10.2026. Vorgang: KD-0687222.
=== de table Kontoauszug
Genobank Eifel <post@genobank-eifel.example>
Neuer Kontoauszug im Postfach
Für Ihr Konto mit der Endziffer 5031 liegt der Auszug 06/2026 bereit. Zum Abruf melden Sie sich wie gewohnt an.
[Zum Postfach](https://genobank-eifel.example/postfach)
- BLZ 417 751 49
=== nl text wachtwoord gewijzigd
Postduif Webmail <beheer@postduif-webmail.example>
Uw wachtwoord is gewijzigd
Het wachtwoord van uw account is op 3 juli 2026 om 11.26 uur gewijzigd via een Windows 11-computer.
Heeft u dit zelf gedaan? Dan hoeft u niets te doen. Melding 006291.
=== nl card korting
Kaaswinkel De Trog <kaas@detrog.example>
Kortingscode: 5 euro op jong belegen
Vul bij het afrekenen in:
> KAAS515
[Naar de winkel](https://detrog.example/kaas)
=== sv dense tandläkaren
Folktandvården Björken <kallelse@ftv-bjorken.example>
Påminnelse om ditt besök
Du har tid torsdag 5 november kl. 13.40, behandlingsrum 3.
Återbud: 060-868 55 41. Ärendenummer 73631329.
=== nb table pakke
Budbilen Bergen <sporing@budbilen.example>
Pakken din er på vei
Sendingsnummer 36838707706818446. Leveres hjem fredag mellom 17 og 21.
[Spor pakken](https://budbilen.example/s/P8PL4C5QM)
=== da text elmåler
Havnens Elforsyning <maaler@havnens-el.example>
Aflæs din måler
Målernummer: 01901456
Seneste visning: 53576 kWh
Kundenr. 2587727, frist 10. januar
=== fi card tilausvahvistus
Kirppis Kaneli <tilaus@kirppiskaneli.example>
Kiitos tilauksestasi!
| Tilausnumero | 0282730
| Tuotekoodi | KN-3EC44
| Yhteensä | 36,00 €
=== fr table colis
Colibri Livraison <suivi@colibri-livraison.example>
Votre colis est en route
Numéro de suivi : CL0887826361FR
Livraison prévue mardi entre 8 h et 13 h, sans code ni signature.
[Suivre mon colis](https://colibri-livraison.example/s/NDHV9LUR)
=== fr dense billet de train
Rail Armoricain <billets@rail-armoricain.example>
Référence de voyage : AKDXSM
Quimper 6 h 58 - Nantes 9 h 41, TER 436726, voiture 2, place 64.
Dossier AKDXSM au nom de LE GOFF.
=== fr text mot de passe modifié
Hébergeur Menhir <admin@hebergeur-menhir.example>
Votre mot de passe a été modifié
Le mot de passe de l'hébergement menhir-93400 a été modifié hier à 23 h 12. Si vous êtes à l'origine de ce changement, vous n'avez rien à faire.
=== es card lotería
Peña La Bruja <pena@penalabruja.example>
Tu participación para Navidad
> 06082
Serie 114, fracción 3. El sorteo es el 22 de diciembre.
=== es table cita médica
Clínica San Telmo <citas@clinicasantelmo.example>
Recordatorio de cita
| Paciente | H.C. 7006538
| Martes 3 de marzo, 12:10 | Consulta 208
Si no puede acudir, llame al 956 545 223.
=== es both cupón
Zapatos Minerva <ofertas@zapatosminerva.example>
Tu código de descuento: 15 %
Usa el código al pagar:
> MINERVA-N833
[Comprar](https://zapatosminerva.example/rebajas)
=== pt dense encomenda
Livraria Traça <apoio@livrariatraca.example>
A sua encomenda seguiu
N.º de encomenda: 84476809
Código de seguimento: RT226959723PT
=== pt-br card senha de atendimento
Cartório Ipanema <fila@cartorioipanema.example>
Sua senha de atendimento
> B846
Previsão: 25 minutos. Protocolo 2397.465549.
=== it table bolletta
Luce del Carso <bollette@lucedelcarso.example>
La bolletta di maggio è pronta
| Codice cliente | 744348304
| POD | IT001E24305956
| Importo | 74,15 €
[Scarica il PDF](https://lucedelcarso.example/pdf/eacf306d26ef3d35)
=== it text password modificata
Posta Ginestra <assistenza@postaginestra.example>
Password modificata
La password della tua casella è stata modificata il 2 settembre 2026 alle 16:33. Se sei stato tu, ignora questo messaggio. Rif. 4014871
=== ca text cita
CAP Sant Pere <cites@cap-santpere.example>
Recordatori de visita
Teniu visita dijous 12 de febrer a les 9.50 h, consulta 14. Codi d'identificació: ANEZ 1 619710 47 9.
=== ro text bilet de tren
Trenurile Moldovei <bilete@trenurilemoldovei.example>
Biletul dumneavoastră
Cod rezervare: YAVRQZ9U
Trenul IR 5447, vagonul 3, locul 55, plecare 06:12 din Iași.
=== pl text wizyta
Gabinet Okulistyczny Źrenica <rejestracja@zrenica.example>
Przypomnienie o wizycie
Wizyta: środa 9 grudnia, godz. 15:40, gabinet 6. Numer wizyty 1713191. Odwołanie: 71 522 30 09.
=== pl card kod rabatowy
Herbaciarnia Obłok <czajnik@herbaciarnia-oblok.example>
Kod rabatowy na urodziny
> OBLOK342
Wpisz go w koszyku, a odejmiemy 12 %.
=== cs text heslo změněno
Pošta Jasan <podpora@postajasan.example>
Heslo bylo změněno
Heslo k vaší schránce bylo změněno 6. 5. 2026 v 7:51 ze zařízení Redmi Note 13. Pokud jste to byli vy, nic nedělejte.
=== sk dense objednávka
Včelí Dvor <objednavky@vcelidvor.example>
Objednávka č. 84091842 bola odoslaná
Číslo zásielky: SK2710302277
Dobierka: 27,80 €
=== hr table račun
Elektra Lika <racuni@elektralika.example>
Vaš račun za struju
| Broj računa | 7876427256-37
| Poziv na broj | 0392-928597
| Iznos | 51,07 €
=== sr text заказан преглед
Дом здравља Липа <zakazivanje@dzlipa.example>
Подсетник за преглед
Преглед је у понедељак у 8.30, соба 12. Број картона: 155128. ЛБО: 30305087407.
=== bg text пратка
Куриер Ястреб <pratki@kurieryastreb.example>
Пратката ви пътува
Товарителница № 8123501108266. Доставка утре от 10 до 13 ч. Телефон на куриера: 088 540 2307.
=== ru table показания счётчика
Энергосбыт Вятка <pokazaniya@esb-vyatka.example>
Пора передать показания
| Лицевой счёт | 1393274988
| Счётчик | № 49590753
| Прошлые показания | 38020
Передайте показания до 25-го числа.
=== ru card промокод
Чайная лавка «Пуэр» <lavka@puer-lavka.example>
Ваш промокод на 300 ₽
> PUER367
[В магазин](https://puer-lavka.example/chai)
=== uk table квиток
Залізниця Карпат <kvytky@zaliznytsia-karpat.example>
Ваш квиток
| Поїзд | 835К, вагон 11, місце 27
| Номер замовлення | V5XU500838
| Відправлення | 21:44
=== be text лічыльнік
Водаканал Свіслач <pakazanni@svislach-voda.example>
Паказанні лічыльніка
Асабовы рахунак: 641520644
Папярэднія паказанні: 1233
Калі ласка, перадайце новыя да 25 чысла.
=== lt card nuolaidos kodas
Medaus Namai <korys@medausnamai.example>
Nuolaidos kodas jūsų gimtadieniui
> MEDUS329
Įveskite jį krepšelyje.
=== et text arstiaeg
Kesklinna Polikliinik <vastuvott@kesklinnapolikliinik.example>
Meeldetuletus arstiaja kohta
Teie aeg on reedel kell 14.20, kabinet 307. Broneeringu number 6374091.
=== hu text időpont
Tölgyfa Fogászat <recepcio@tolgyfafog.example>
Emlékeztető az időpontjára
Várjuk kedden 16:15-kor, a 2. rendelőben. Páciensszám: 621750. Lemondás: +36 30 565 3851
=== el text αποστολή
Ταχυμεταφορές Ζέφυρος <apostoli@zefyros-courier.example>
Η αποστολή σας ξεκίνησε
Αριθμός αποστολής: 628538221427. Παράδοση αύριο 9:00-13:00. Αντικαταβολή: 22,40 €
=== tr card indirim kodu
Baharatçı Yakup <magaza@baharatciyakup.example>
Size özel indirim kodu
> BAHAR948
Sepette kullanın, %20 kazanın. Son gün pazar.
=== tr text randevu
Defne Göz Merkezi <randevu@defnegoz.example>
Randevu hatırlatması
Randevunuz 6 Ekim Salı 11.30'da. Dosya no: 544402. İptal için 0332 802 24 85.
=== kk dense төлем түбіртегі
Жетісу Жылу <tulem@zhetisu-zhylu.example>
Төлем түбіртегі
Дербес шот: 84326317
Түбіртек нөмірі: 4329482811
Сомасы: 9 480 ₸
=== he card קופון
מאפיית לחם ושקט <hello@lechem-vesheket.example>
קוד קופון ליום ההולדת
> LECHEM03
הקוד בתוקף עד סוף החודש, ברכישה מעל 60 ₪.
=== ar text موعد
مركز ابن حيان الطبي <mawaid@ibnhayyan-clinic.example>
تذكير بموعدك
موعدك يوم الأربعاء الساعة 10:30 في العيادة رقم 7. رقم الملف: 5919723. للإلغاء: 5331 1321.
=== fa dense مرسوله
پست پرستو <morsoole@postparastoo.example>
مرسوله شما ارسال شد
شماره رهگیری: 46307361878004153007
شماره سفارش: 0224600
=== hi card कूपन
मसाला घर <dukaan@masalaghar.example>
आपका कूपन कोड
> MASALA536
₹499 से ज़्यादा की खरीदारी पर 10% की छूट।
=== bn text ফ্লাইট
গাঙচিল এয়ার <ticket@gangchilair.example>
আপনার টিকিট নিশ্চিত হয়েছে
বুকিং রেফারেন্স: 7HL54T। ফ্লাইট GC 4797, ঢাকা থেকে সিলেট, সকাল ৭:২০। টিকিট নম্বর: 4497009353503।
=== zh-cn text 密码已修改
白鹭邮箱 <safe@bailu-mail.example>
密码修改成功
您的邮箱密码已于2026年4月2日15:36修改成功，登录设备：荣耀Magic6。如是本人操作，无需处理。
=== zh-cn card 抽奖
福满多超市 <huiyuan@fumanduo.example>
您的抽奖号码
> 5946439
开奖日期：1月28日。会员卡号3142857778。
=== ja text パスワード変更
あおば通信 <info@aoba-tsushin.example>
パスワード変更完了のお知らせ
お客様ID：A56172441
2026年5月18日 20時41分にパスワードが変更されました。お客様ご自身による変更の場合、お手続きは不要です。
=== ja both 荷物
はやぶさ便 <haitatsu@hayabusa-bin.example>
お荷物お届けのお知らせ
送り状番号：4096-5870-3278
お届け予定：2月9日 19時～21時
[配達状況を見る](https://hayabusa-bin.example/t/B3U467WX)
=== ko card 쿠폰
달빛커피 <event@dalbit-coffee.example>
생일 축하 쿠폰 번호를 드려요
> DB8219-3660
매장에서 직원에게 보여 주세요. 9월 말까지 사용할 수 있습니다.
=== ko text 고객센터 답변
다올인터넷 <help@daol-net.example>
문의하신 내용에 답변드립니다
문의번호 593609628. 고객님 댁 공유기 DX-2714의 초기 설정은 설명서 12쪽에 있습니다. 고객센터 1670-4918
=== vi text hóa đơn
Nước Sạch Trà Giang <hoadon@nuocsachtragiang.example>
Hóa đơn tiền nước tháng 5
Mã khách hàng: TG15608966
Ký hiệu: 1C26TUD
Số hóa đơn: 1245197
Số tiền: 96.300 đồng
=== th text นัดหมาย
คลินิกทันตกรรมชมพู <nat@chomphu-dental.example>
แจ้งเตือนนัดหมาย
คุณมีนัดวันที่ 16 กรกฎาคม เวลา 10.30 น. หมายเลขผู้ป่วย 390079 โทร. 0 5373 3632
=== ms dense bungkusan
Kurier Helang <jejak@kurierhelang.example>
Bungkusan anda dalam perjalanan
Nombor penjejakan: HL4325976796MY
Jangkaan tiba: 8 Mei
=== sw text tiketi
Basi la Twiga <tiketi@basilatwiga.example>
Tiketi yako ya safari
Namba ya tiketi: SCSJA82. Kiti 22, kuondoka saa 12:30 asubuhi, Dodoma hadi Mwanza. Simu: 0777 396 099.
`);
