import { readMails } from './judge-layouts.ts';

/** Mails in German, Dutch, Luxembourgish, Afrikaans and the Nordic languages. */
export const judgeGermanic = readMails(`
=== de table Einmalcode in einer Zelle
Ostseesparkasse Wiek <sicherheit@oss-wiek.example>
Ihr Einmalcode für das Online-Banking
Guten Tag Frau Petersen,
bitte geben Sie den folgenden Code ein, um Ihre Anmeldung abzuschließen:
> {948977}
Der Code ist 5 Minuten gültig. Geben Sie ihn niemandem weiter, auch nicht am Telefon.
- Ostseesparkasse Wiek · Am Bodden 3 · 19150 Wiek · HRB 2547
- Telefon 038879 29409 · Ust-IdNr. DE887373027
=== de text Benutzername und Code
Stadtwerke Auental <kundenportal@sw-auental.example>
Ihre Zugangsdaten zum Kundenportal
Sehr geehrter Herr Yıldız,
Ihr Benutzername lautet: m.yildiz97
Kundennummer: 24484867
Vertragskonto: 634186176769
Zum Freischalten Ihres Zugangs benötigen Sie außerdem den Aktivierungscode {B4PT-USJ3}.
Bei Fragen erreichen Sie uns unter 0911 108886.
=== de simple nur Benutzername
Wanderverein Rhön <mitglieder@wv-rhoen.example>
Erinnerung an Ihren Benutzernamen
Hallo,
Sie haben Ihren Benutzernamen vergessen? Er lautet: wanderfalke1566
Herzliche Grüße vom Vorstand
=== de card Code mit Widerruf
Feldpost <nicht-antworten@feldpost.example>
Bestätigungscode für neue Anmeldung
Jemand meldet sich gerade mit Firefox unter Linux bei Feldpost an. Bestätigen Sie mit:
> {126-024}
Das waren nicht Sie? [Code ungültig machen](https://feldpost.example/sicherheit/sperren/b25c60fdde26c800d9)
- Feldpost eG, Genossenschaftsregister GnR 643, Freiburg
=== de both Wiederherstellungscode
Schlüsselbund24 <hilfe@schluesselbund24.example>
Ihr Wiederherstellungscode
Bewahren Sie diesen Wiederherstellungscode gut auf. Er ersetzt den zweiten Faktor, falls Ihr Telefon verloren geht.
> {39Z2 B94X E44P QW3V}
Ein früher erzeugter Code gilt nicht mehr.
=== de table Einladung annehmen
Werkraum <team@werkraum.example>
Jule Brandt hat dich eingeladen
Hey, Jule möchte mit dir am Projekt „Dachausbau“ arbeiten.
[!Annehmen](https://werkraum.example/e/UgzA5V9v)
Die Einladung gilt bis zum 12. August.
- Werkraum GmbH, Leipzig · [Impressum](https://werkraum.example/impressum)
=== de dense Passwort zurücksetzen
Bücherstube Klee <laden@buecherstube-klee.example>
Neues Passwort für Ihr Kundenkonto
Sie möchten Ihr Passwort ändern? Dann klicken Sie bitte hier:
<!https://www.buecherstube-klee.example/konto/pw/7f89aa5baf/31236>
Sie haben nichts angefordert? Dann können Sie diese Nachricht löschen.
- Bücherstube Klee, Inh. Martha Klee, Tel. 0761 296709
=== de table Rechnung
Lichtblick Optik <rechnung@lichtblick-optik.example>
Ihre Rechnung Nr. 2026-75335
Vielen Dank für Ihren Einkauf. Den Betrag von 189,00 € buchen wir am 4. Mai ab.
| Kundennummer | 8376923
| Mandatsreferenz | LO41117154
| IBAN | DE65 2740 5669 0355 5177 18
[Rechnung ansehen](https://lichtblick-optik.example/r/cd47c52cb2b288df)
=== de text Buchungscode der Bahnreise
Alpenbus <buchung@alpenbus.example>
Ihre Reise nach Bozen
Ihr Buchungscode: AC6L8Y
Abfahrt 06:35 ab München ZOB, Linie 540, Platz 11D.
Bitte zeigen Sie den Code beim Einsteigen vor.
=== de simple Zählerstand
Netz Elbaue <ablesung@netz-elbaue.example>
Bitte Zählerstand melden
Zählernummer: 1 EMH00 12347337
Letzter Stand: 23007 kWh
Melden Sie den Stand bis 15. Januar unter [netz-elbaue.example/ablesung](https://netz-elbaue.example/ablesung). Eine PIN brauchen Sie dafür nicht.
=== de both Gutschein
Zimtstern <post@zimtstern.example>
10 € für Sie: Ihr Gutscheincode
Lösen Sie den Code bis Monatsende an der Kasse ein:
> DANKE-LL7X8
[Jetzt stöbern](https://zimtstern.example/neu)
=== nl pair inlogcode
Waddenbank <noreply@waddenbank.example>
Nieuw toestel? Even controleren
Hoi Femke,
Er wordt ingelogd vanaf een toestel dat we nog niet kennen (Samsung Galaxy Tab S9). Ben jij dat? Tik dan deze cijfers over:
> {825002}
Na tien minuten werken ze niet meer. Wij vragen er nooit om via de telefoon.
- Waddenbank N.V., Havenweg 22, Harlingen, KvK 18202271
=== nl text gebruikersnaam
Zwemclub De Otter <leden@zc-deotter.example>
Je gebruikersnaam
Hallo,
Je vroeg om je gebruikersnaam. Dit is hem: otter8172
Weet je ook je wachtwoord niet meer? Vraag dan een nieuw aan op de website.
=== nl card code en intrekken
Stroomlijn <beveiliging@stroomlijn.example>
{76836} is je bevestigingscode
Vul {76836} in om je nieuwe telefoonnummer te bevestigen.
Heb je dit niet aangevraagd? [Trek de code in](https://stroomlijn.example/intrekken?c=C8vCe5974h8Q).
- Klantnummer 87628617 · Klantenservice 088 807 5985
=== nl table doe mee
Buurtbakkie <hallo@buurtbakkie.example>
Anouk nodigt je uit voor Straat 12
Anouk heeft een groep gemaakt voor jullie straat.
[!Doe mee](https://buurtbakkie.example/g/rkb7gw/phk7)
[Liever niet](https://buurtbakkie.example/nee)
=== nl simple afspraak bij de tandarts
Tandartsen aan de Gracht <balie@tandartsgracht.example>
Herinnering: uw afspraak op 14 oktober
Beste mevrouw De Wit,
U heeft een afspraak op woensdag 14 oktober om 9.40 uur. Uw patiëntnummer is 853665.
Verhinderd? Bel ons minstens 24 uur van tevoren op 030 684 13 02.
=== nl dense bestelling onderweg
Fietsfabriek Noord <bestelling@fietsfabrieknoord.example>
Je bestelling FN282274 is onderweg
Track & trace: 3SKKJ9Q71100500
De bezorger komt donderdag tussen 13:10 en 15:10 uur.
=== sv both engångskod
Granit Försäkring <konto@granitforsakring.example>
{363022} – så fortsätter du med ditt ärende
Hej Linnéa!
För att visa ditt skadeärende SK-4436340 behöver vi veta att det är du. Ange {363022} i rutan. Siffrorna gäller i tio minuter.
- Granit Försäkring AB, org.nr 556427-0234, Sundsvall
=== sv text användarnamn och kod
Kommunbiblioteket <bibblan@storvik-bibliotek.example>
Återställ din inloggning
Ditt användarnamn är: lovisa218
Skriv in koden {CQS-SYR} på sidan för att välja en ny PIN.
Lånekortets nummer är 7115195984.
=== sv table aktivera konto
Hyresboden <info@hyresboden.example>
Aktivera ditt konto
Välkommen! Ett klick kvar.
[!Aktivera](https://hyresboden.example/a/WPN4cB9YyT)
- Hyresboden, Box 287, 401 36 Göteborg
=== sv simple kvitto
Konditori Violen <kvitto@violen.example>
Ditt kvitto
| Prinsesstårta | 345 kr
| Kvittonummer | 4260553
| Kontrollkod | L2ZH9MU6NXNU
| Kort | **** 2480
Tack för besöket!
=== nb card engangskode
Fjordkraftlaget <logginn@fjordkraftlaget.example>
Engangskode: {843470}
Bruk koden {843470} for å logge inn. Den varer i 5 minutter.
Har du ikke bedt om kode? [Si fra her](https://fjordkraftlaget.example/varsle/HvnJwpYt4).
- Org.nr. 019 996 568 MVA
=== nb text nytt passord
Turlaget Fjell <medlem@turlagetfjell.example>
Nytt passord
Hei!
Trykk på lenken for å lage nytt passord:
<!https://min.turlagetfjell.example/nytt/x25zd-3isj3>
Medlemsnummeret ditt er 2630882.
=== nb simple time hos legen
Havnegata legesenter <timebok@havnegata-lege.example>
Påminnelse om time
Du har time hos Dr. Solheim mandag 7. september kl. 10.15. Møt opp i 3. etasje.
Egenandelen er 179 kroner. Timenummer 870737.
=== da breaks engangskode
Sundby Sparekasse <netbank@sundbysparekasse.example>
Godkend din overførsel
Kære Mads
Du er ved at overføre 4.500,00 kr. til konto 7311 2353130.
Godkendelseskode: {7053 1842}
Del den aldrig med andre. Ring straks på 70 11 33 40, hvis du ikke kender overførslen.
- Sundby Sparekasse, CVR 51928660
=== da dense brugernavn
Aftenskolen Kløver <kursus@klover.example>
Dit brugernavn
Hej Birgitte
Dit brugernavn er: birgitte758
Holdnummer: 427770, Keramik for begyndere, tirsdag kl. 19.
=== da both bekræft e-mail
Loppefund <hej@loppefund.example>
Bekræft din e-mail
Så er du næsten klar til at sælge.
[!Bekræft](https://loppefund.example/b?n=ekm4BkNhW)
Spørgsmål? Læs vores [hjælpesider](https://loppefund.example/hjaelp).
=== is text staðfestingarkóði
Heklubanki <oryggi@heklubanki.example>
Staðfestingarkóði
Halló Sigrún,
Staðfestingarkóðinn þinn er {841860}. Hann gildir í 10 mínútur.
Ekki deila kóðanum með neinum.
- Heklubanki hf., kt. 214892-6946, sími 525 4519
=== is table pöntun móttekin
Bókabúðin Fjara <pantanir@fjara.example>
Við höfum móttekið pöntunina þína
Pöntunarnúmer: 2655702
Sendingarnúmer: JF231818021IS
Áætluð afhending er föstudaginn 20. nóvember.
=== lb simple Verifikatiounscode
Minettbank <info@minettbank.example>
Äre Verifikatiounscode
Moien Här Weber,
Äre Code fir Iech anzeloggen ass {624730}. De Code ass 5 Minutte gülteg.
Gitt dëse Code kengem weider.
- Minettbank S.A., Esch-Uelzecht, R.C.S. Luxembourg B914646
=== af text bevestigingskode
Karoo Spaarbank <aanlyn@karoospaar.example>
Jou bevestigingskode
Hallo Danie
Jou bevestigingskode is: {52860}
Tik dit in om by jou rekening aan te meld. Die kode verval oor 10 minute.
Jou kliëntnommer is 072764835. Navrae: 021 418 6080
=== af table aktiveer
Plaasmark <welkom@plaasmark.example>
Aktiveer jou rekening
Dankie dat jy by Plaasmark ingeskryf het. Klik net op die knoppie hieronder.
[!Aktiveer my rekening](https://plaasmark.example/k/Zta8viLr)
`);
