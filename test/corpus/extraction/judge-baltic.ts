import { readMails } from './judge-layouts.ts';

/** Mails in Baltic, Finnic and Celtic languages, Hungarian, Greek, Albanian, Basque, Maltese and Esperanto. */
export const judgeBaltic = readMails(`
=== fi dense koodi vain otsikossa
Saimaan Osuuspankki <turvallisuus@saimaanop.example>
Vahvistuskoodi {529981}
Hei Aino,
pyysit vahvistuskoodia kirjautumista varten. Koodi on tämän viestin otsikossa. Se on voimassa viisi minuuttia.
- Saimaan Osuuspankki, Y-tunnus 8204714-7, Imatra
=== fi text käyttäjätunnus
Retkeilijät ry <jasenet@retkeilijat.example>
Käyttäjätunnuksesi
Käyttäjätunnuksesi on: ilves4731
Vahvistuskoodi salasanan vaihtoon: {RYREMS8r}
Jäsennumero: 384778
=== fi simple liity
Talkooväki <kutsu@talkoovaki.example>
Pekka kutsui sinut talkoisiin
[!Liity](https://talkoovaki.example/l/hybB3L)
Hernekeittoa tarjolla klo 13.
=== fi dense lasku
Kainuun Vesi <laskut@kainuunvesi.example>
Laskusi eräpäivä lähestyy
Asiakasnumero: 8738307
Viitenumero: 77352 36891 87672
Summa: 48,90 €, eräpäivä 17.6.2026
=== et breaks kinnituskood
Peipsi Pank <turve@peipsipank.example>
Kas see oled sina?
Tere, Liis!
Keegi logib sinu kontole sisse Tartust. Kui see oled sina, sisesta {730025}. Kood kehtib 10 minutit.
- Peipsi Pank AS, registrikood 05657977, Tartu
=== et text kasutajanimi
Metsaselts <liikmed@metsaselts.example>
Kasutajanime meeldetuletus
Sinu kasutajanimi on: kask3719
Kui sa seda ei küsinud, võid kirja kustutada.
=== et card tühista kood
Saarte Laevad <konto@saartelaevad.example>
Kood {76457}
Uue seadme kinnitamiseks sisesta {76457}.
See polnud sina? [Tühista kood](https://saartelaevad.example/tyhista/28a09ba6f72cb6)
=== lv card apstiprinājuma kods
Gaujas Banka <drosiba@gaujasbanka.example>
Apstipriniet maksājumu
Labdien, Ilze!
Maksājums 39,90 EUR, karte ****6216. Lai to apstiprinātu, ievadiet vienreizējo paroli:
> {365578}
Neizpaudiet to nevienam. [Atcelt paroli](https://gaujasbanka.example/atcelt/E6MTZRqDr)
- AS „Gaujas Banka”, reģ. nr. 63569735322, Valmiera
=== lv text lietotājvārds un kods
Jūras Bibliotēka <lasitaji@jurasbiblioteka.example>
Piekļuves atjaunošana
Jūsu lietotājvārds ir: janis224
Kods jaunai parolei: {8FJ3-4JT2}
=== lv simple aktivizēt kontu
Dzintara Tirgus <sveiki@dzintaratirgus.example>
Aktivizējiet savu kontu
Sveika, Anna! Lai pabeigtu reģistrāciju, nospiediet pogu.
[!Aktivizēt](https://dzintaratirgus.example/a/yS7PB5Uv)
Ja nereģistrējāties, ignorējiet šo vēstuli.
=== lt both prisijungimo kodas
Nemuno Kreditas <sauga@nemunokreditas.example>
Patvirtinkite savo el. paštą
Laba diena, Egle,
kad galėtumėte tęsti paraiškos Nr. 2713018 pildymą, įveskite {669314}. Skaičiai galioja 10 minučių.
- Nemuno Kreditas, įmonės kodas 729763065, PVM kodas LT011825454519
=== lt text slaptažodžio keitimas
Žolinės Knygynas <pagalba@zolinesknygynas.example>
Slaptažodžio keitimas
Paspauskite nuorodą ir susikurkite naują slaptažodį:
<!https://zolinesknygynas.example/s/uv7v4/dt66>
=== lt dense siunta
Pašto Gandras <siuntos@pastogandras.example>
Jūsų siunta jau kelyje
Siuntos numeris: LT641786195
Pristatymas ketvirtadienį nuo 10 iki 14 val.
Kurjerio tel. +370 687 55683
=== hu dense belépési kód
Tisza Takarék <biztonsag@tiszatakarek.example>
Jóváhagyásra vár az utalása
Kedves Réka!
Az utalás összege 25 000 Ft, a kedvezményezett számlája: 42329516-44158172.
A jóváhagyáshoz szükséges egyszer használatos jelszó: {199658}
Kérjük, ne adja meg másnak!
- Tisza Takarék Zrt., Cg. 16-10-310803, adószám 25045724-2-16
=== hu text felhasználónév
Víztorony Fórum <forum@viztorony.example>
Felhasználónév-emlékeztető
A felhasználóneved: bodza6476
Az új jelszóhoz ezt a kódot add meg: {VQT-097}
=== hu card kód visszavonása
Postagalamb <ertesites@postagalamb.example>
Megerősítő kód: {608973}
Írd be a(z) {608973} kódot az alkalmazásba.
Nem te voltál? [Vond vissza a kódot](https://postagalamb.example/vissza/HqJtSVp8U7Z)
=== hu simple csatlakozás
Kertbarátok <meghivo@kertbaratok.example>
Meghívó a Kertbarátok csoportba
Szia Bence! Kati meghívott a csoportjába, várunk szeretettel.
[!Csatlakozom](https://kertbaratok.example/m/CZ2scDs)
Szombaton palántavásár!
=== hu dense számla
Hegyvidék Gáz <szamla@hegyvidekgaz.example>
Elkészült a számlája
Felhasználó azonosító: 9428954265
Számlaszám: 591652240191
Fizetendő: 14 320 Ft, határidő: 2026.09.08.
=== el card κωδικός μίας χρήσης
Τράπεζα Ολύμπου <asfaleia@trapezaolympou.example>
Επιβεβαίωση αγοράς
Γεια σας, Ελένη,
Αγορά 64,90 € με την κάρτα σας που λήγει σε 0458. Για να την εγκρίνετε, πληκτρολογήστε:
> {039743}
Δεν την κάνατε εσείς; [Ακυρώστε τον κωδικό](https://trapezaolympou.example/akyrosi/3dZPy8eraR).
- Τράπεζα Ολύμπου Α.Ε., ΑΦΜ 851702060, Γ.Ε.ΜΗ. 550688038153
=== el text όνομα χρήστη
Βιβλιοθήκη Χανίων <anagnostes@vivliothiki.example>
Υπενθύμιση ονόματος χρήστη
Το όνομα χρήστη σας είναι: manolis116
Κωδικός επαλήθευσης: {12443204}
Αριθμός κάρτας: 8741104330
=== el simple αποδοχή πρόσκλησης
Ορειβάτες <omada@oreivates.example>
Η Δάφνη σας προσκάλεσε
Γεια σου, Στέφανε! Η Δάφνη θέλει να έρθεις στην ομάδα μας.
[!Αποδοχή](https://oreivates.example/p/6dj5qf3w)
Ραντεβού την Κυριακή στις 7.
=== el dense λογαριασμός ρεύματος
Ηλεκτρική Αιγαίου <logariasmoi@ilektrikiaigaiou.example>
Ο λογαριασμός σας εκδόθηκε
Αριθμός παροχής: 6 02071080-03 8
Κωδικός ηλεκτρονικής πληρωμής: RF67 5420 4351 8772 3543 4517
Ποσό: 91,35 €
=== sq table kodi i verifikimit
Banka Drini <siguria@bankadrini.example>
Kodi i verifikimit
Përshëndetje Arta,
Për të hyrë në llogarinë tuaj, shkruani këtë kod:
> {364023}
Kodi është i vlefshëm për 5 minuta. Mos ia tregoni askujt.
=== sq simple aktivizo llogarinë
Libraria Shkëndija <ndihma@shkendija.example>
Aktivizo llogarinë
Përshëndetje Besnik, shtypni butonin për të përfunduar regjistrimin.
[!Aktivizo](https://shkendija.example/a/8PvrAC7)
Faleminderit që u regjistruat!
=== eu table egiaztapen-kodea
Aralar Kutxa <segurtasuna@aralarkutxa.example>
Zure egiaztapen-kodea
Kaixo, Nerea:
Idatzi kode hau zure kontuan sartzeko:
> {068504}
Kodeak 10 minutuz balio du.
- Aralar Kutxa, IFZ F87138426, Tolosa
=== eu text erabiltzaile-izena
Mendi Elkartea <bazkideak@mendielkartea.example>
Zure erabiltzaile-izena
Zure erabiltzaile-izena hau da: aitor118
Pasahitza berrezartzeko kodea: {E7T-WU6}
=== eu simple onartu gonbidapena
Dantzari Taldea <taldea@dantzari.example>
Mirenek gonbidatu zaitu
Kaixo Jon! Mirenek gure taldean ikusi nahi zaitu.
[!Onartu](https://dantzari.example/g/piF5sJ)
Entsegua ostegunean, 19:00etan.
=== ga text cód fíoraithe
Banc Chonamara <slandail@bancchonamara.example>
Do chód fíoraithe
A Aoife, a chara,
Is é {376952} do chód fíoraithe. Tá sé bailí ar feadh 10 nóiméad.
Ná roinn an cód le duine ar bith.
=== cy both cod mewngofnodi
Banc Eryri <diogelwch@banceryri.example>
Eich cod mewngofnodi
Helo Rhys,
Rhowch y cod hwn i fewngofnodi:
> {341349}
Mae'r cod yn ddilys am 10 munud.
=== cy simple gosod cyfrinair newydd
Siop Lyfrau Clwyd <help@siopclwyd.example>
Ailosod eich cyfrinair
Annwyl Siân, gofynnoch am gael newid eich cyfrinair.
[!Dewis cyfrinair newydd](https://siopclwyd.example/c/bg7xxr7ge)
Os nad chi ofynnodd am hyn, anwybyddwch y neges.
=== mt text kodiċi ta' verifika
Bank Għargħur <sigurta@bankgharghur.example>
Kodiċi ta' verifika
Għażiża Maria,
Il-kodiċi ta' verifika tiegħek huwa {576782}. Jiskadi wara 10 minuti.
=== eo simple konfirma kodo
Verda Forumo <helpo@verdaforumo.example>
Via konfirma kodo
Saluton!
Via konfirma kodo estas {220820}. Ĝi validas dum 15 minutoj.
`);
