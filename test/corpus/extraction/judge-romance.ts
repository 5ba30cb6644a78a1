import { readMails } from './judge-layouts.ts';

/** Mails in French, Spanish, Portuguese, Italian, Romanian, Catalan and Galician. */
export const judgeRomance = readMails(`
=== fr card code de connexion
Banque des Cévennes <securite@banque-cevennes.example>
Confirmez l'ajout d'un bénéficiaire
Bonjour Amélie,
Vous souhaitez ajouter « SCI Les Tilleuls » (IBAN se terminant par 3711) à vos bénéficiaires. Pour valider, reportez les chiffres ci-dessous dans l'application :
> {425230}
Sans action de votre part d'ici dix minutes, la demande sera annulée. Un conseiller ne vous les demandera jamais.
- Banque des Cévennes, SA au capital de 12 500 000 €, RCS Nîmes 479 042 176
- 4, place du Marché, 30860 Alès
=== fr text identifiant et code
Mutuelle Rivage <adherents@mutuelle-rivage.example>
Récupération de vos identifiants
Madame, Monsieur,
Votre identifiant est : jlefevre416
Votre numéro d'adhérent : 2223190643
Pour définir un nouveau mot de passe, utilisez le code {5314-4500} dans l'application.
Service client : 09 18 44 90 63 (appel non surtaxé)
=== fr simple code et annulation
Tournevis <bonjour@tournevis.example>
{371047} : votre code de vérification
Bonjour,
Voici le code demandé : {371047}.
Ce n'était pas vous ? [Annulez ce code](https://tournevis.example/securite/annuler/P6JGXSd9DHB) et changez votre mot de passe.
=== fr card code de secours
Coffret <aide@coffret.example>
Conservez votre code de secours
La double authentification est activée. En cas de perte de votre téléphone, ce code de secours vous permettra de vous connecter :
> {hsw5-7nqk-t3di-f66r}
- Coffret SAS · 17 rue des Tanneurs · Grenoble
=== fr table rejoindre une équipe
Atelier Commun <equipe@ateliercommun.example>
Bastien vous invite dans « Refonte du site »
Bastien Morel souhaite travailler avec vous.
[!Rejoindre](https://ateliercommun.example/i/ptnS49)
[En savoir plus](https://ateliercommun.example/tour)
=== fr dense réinitialisation
Club de Voile Iroise <contact@cv-iroise.example>
Mot de passe oublié
Pour choisir un nouveau mot de passe, cliquez sur le lien ci-dessous :
<!https://adherents.cv-iroise.example/mdp/c9db0954-2d33-3a11>
Ce lien expire dans deux heures.
- Licence FFV n° 9412401X
=== fr text facture
Électricité du Ponant <factures@elec-ponant.example>
Votre facture n° F7253937017 est disponible
Référence client : 834 054 082
Point de livraison : 09938581193790
Montant : 84,17 € prélevés le 6 novembre 2026.
=== fr both rendez-vous
Cabinet du Dr Nguyen <rdv@cabinet-nguyen.example>
Rappel : rendez-vous jeudi à 9 h 15
Digicode et étage vous seront donnés par le secrétariat au 04 40 51 43 32.
Pensez à apporter votre carte Vitale et l'ordonnance n° 807683.
=== fr simple code promo
Savonnerie Lune <coucou@savonnerie-lune.example>
-20 % avec le code LUNE6874
Votre code promo LUNE est valable jusqu'au 31 mai sur tout le site.
[J'en profite](https://savonnerie-lune.example/boutique)
=== es text código de acceso
Caja Sierra Norte <avisos@cajasierranorte.example>
Terminemos tu registro
Hola, Lucía:
Para comprobar que este correo es tuyo, vuelve a la app y teclea {009606}. Tienes cinco minutos; después tendrás que pedir otro.
¿Dudas? Llámanos al 987 580 599 o pásate por la oficina 7342.
- Caja Sierra Norte, S. Coop. · CIF F-37197919
=== es text usuario y código
Universidad del Altiplano <cuentas@altiplano.example>
Recuperación de cuenta
Estimada Rosa:
Su nombre de usuario es: rquispe78
Código de estudiante: 82326912
Código de verificación: {5pkup6Uu}
Escríbalo tal como aparece; distingue mayúsculas y minúsculas.
=== es simple solo el usuario
Foro Alfarería <foro@alfareria.example>
Recordatorio de usuario
Hola:
Nos pediste que te recordáramos tu nombre de usuario. Es barro_y_fuego609.
Si no fuiste tú, no hagas caso de este mensaje.
=== es card código y no fui yo
Remesa Fácil <seguridad@remesafacil.example>
Autoriza el envío de $1,250.00
Código de autorización:
> {WT0839}
Beneficiario: cuenta terminada en 5371
[No fui yo](https://remesafacil.example/bloquear/er4nqyxqz2nx5i)
- Remesa Fácil, S.A. de C.V. · RFC RFA454193XY3
=== es table unirse
Peña Ciclista <socios@penaciclista.example>
Marcos te ha invitado a la ruta del domingo
[!Unirme](https://penaciclista.example/u/8tra/6bn)
Salimos a las 8:00 desde la plaza.
- Peña Ciclista El Puerto, inscrita con el n.º 5801
=== es dense activar
Biblioteca Digital Aurora <alta@aurora-biblioteca.example>
Activa tu cuenta
Gracias por registrarte. Para terminar:
[!Activar mi cuenta](https://aurora-biblioteca.example/activar?t=z5ZuxcDUTyV)
Tu carné lleva el número 628859969.
=== es both boleto
Autobuses del Pacífico <boletos@autobusespacifico.example>
Tu boleto a Mazatlán
Clave de reservación: YGA387
| Corrida 3457 | Salida 22:45, andén 9
| Asiento | 23
| Folio | 99260848026
Presenta tu boleto en el andén.
=== es text cambio de contraseña
Correo Libre <soporte@correolibre.example>
Tu contraseña ha cambiado
La contraseña de tu cuenta se cambió el 8 de abril de 2026 a las 19:02 desde un iPhone 15.
Si has sido tú, no tienes que hacer nada.
Incidencia: 91450644
=== pt table código de utilização única
Banco do Vouga <seguranca@bancodovouga.example>
Código de utilização única
Caro Tiago,
Para confirmar a operação, introduza o código abaixo:
> {453 322}
NIB da conta de destino: 0255 0467 59857342708 44
- Banco do Vouga, S.A. · NIPC 927739049 · Aveiro
=== pt simple repor palavra-passe
Teatro da Ribeira <bilheteira@teatrodaribeira.example>
Repor a palavra-passe
Recebemos um pedido para repor a palavra-passe da sua conta.
[!Escolher nova palavra-passe](https://teatrodaribeira.example/repor/rwhwsmse5)
Se não fez este pedido, ignore esta mensagem.
=== pt text consulta
Clínica Mondego <marcacoes@clinicamondego.example>
Lembrete da sua consulta
Consulta de Oftalmologia, 22 de junho, 11h30, gabinete 4.
N.º de utente: 883916502
Senha a retirar no quiosque à chegada.
=== pt-br card código de verificação
Carteira Ipê <nao-responda@carteiraipe.example>
{846395} é o seu código de verificação
Oi, Thaís! Use o código {846395} para entrar na sua conta.
Não pediu? [Cancelar este código](https://carteiraipe.example/c/cancelar/WkD93epdM4)
- Carteira Ipê Instituição de Pagamento · CNPJ 83.067.887/0001-51
=== pt-br text nome de usuário
Rede Jabuti <ajuda@redejabuti.example>
Seu nome de usuário
Olá!
Seu nome de usuário é: caio.mendes11
Seu código de recuperação é: {27Q5-2DP3-ZV3B}
Ele vale por 30 minutos.
=== pt-br table aceitar convite
Quintal Coworking <convites@quintal.example>
Você foi convidada para o espaço Manacá
Renata adicionou você à equipe dela.
[!Aceitar](https://clique.quintal.example/r/4Zper/t42Tr)
[Conheça o espaço](https://clique.quintal.example/r/46fiE/dP9uQ)
=== pt-br both pedido enviado
Armazém da Serra <pedidos@armazemdaserra.example>
Seu pedido #73759311 foi enviado
Código de rastreio: BR777633269SE
Previsão de entrega: até 19/09.
[Acompanhar entrega](https://armazemdaserra.example/rastreio/AWA6LDDEA)
=== pt-br dense boleto
Condomínio Araucária <financeiro@condominioaraucaria.example>
Boleto de agosto
Unidade 704, bloco B
Linha digitável: 71334.48533 75305.838035 93587.897270 4 98449308960377
Vencimento: 10/08. Valor: R$ 612,90
=== it markdown codice di verifica
Cassa Rurale Valbruna <sicurezza@crvalbruna.example>
Stai accedendo da un nuovo browser?
Ciao Giulia,
abbiamo notato un accesso da Edge su Windows. Se sei tu, inserisci {686288} nella pagina che hai lasciato aperta.
Se non sei tu, [blocca l'accesso](https://crvalbruna.example/blocca/BdSxCvFSik9Y) e chiamaci allo 0428 61834.
- Cassa Rurale Valbruna, P. IVA 84822234217, via Roma 8, Tarvisio
=== it text nome utente e codice
Acquedotto Lario <sportello@acquedottolario.example>
Credenziali dello sportello online
Gentile cliente,
nome utente: bianchi.s071
codice cliente: 166930363
numero contratto: 69886513/A
codice di attivazione: {11161746}
Il codice di attivazione va inserito al primo accesso.
=== it simple codice di recupero
Scrigno <supporto@scrigno.example>
Codice di recupero
Il tuo codice di recupero è {PS5EHXXSS3CJAHRU}. Conservalo in un luogo sicuro: serve se perdi il dispositivo.
=== it table unisciti
Coro Monte Alto <coro@coromontealto.example>
Invito al gruppo delle prove
Elena ti invita nel gruppo «Prove del giovedì».
[!Unisciti](https://coromontealto.example/g/z68wPt)
- Se non conosci Elena, [segnala l'invito](https://coromontealto.example/segnala)
=== it dense scontrino
Libreria Portici <cassa@libreriaportici.example>
Scontrino della tua spesa
Documento n. 4489-0981
Matricola registratore 96SRT902255
Totale 32,50 euro, carta ****7701
Codice lotteria: EACPEM8G
=== it card prenotazione treno
Ferrovie del Garda <biglietti@ferroviegarda.example>
Codice di prenotazione Q69AHW
Treno regionale 36478, partenza 17:22 dal binario 3.
> Q69AHW
Mostra il codice al controllore.
=== ro both cod de autentificare
Banca Ceahlău <securitate@bancaceahlau.example>
Confirmă adresa de e-mail
Bună, Ioana,
Ne bucurăm că ți-ai deschis cont la noi! Ca să terminăm, scrie în aplicație numărul de mai jos.
> {381228}
Nu îl comunica nimănui. Expiră peste un sfert de oră.
- Banca Ceahlău S.A., J27/721/2004, CUI RO76992285
=== ro text cod și anulare
Poșta Verde <cont@postaverde.example>
Cod de confirmare
Codul de confirmare este {NMX-SPE}.
Nu ai cerut acest cod? Anulează-l aici: https://postaverde.example/anuleaza/a5d7b2fca4ba
=== ro simple activează contul
Livada Online <salut@livadaonline.example>
Mai ai un pas
Apasă butonul pentru a-ți activa contul.
[!Activează](https://livadaonline.example/a/6kf75ex)
=== ro dense factură
Apa Bihorului <facturi@apabihorului.example>
Factura dumneavoastră
Cod client: 17303591
Cod abonat: 647931
Serie factură: AB 2167015
Index nou: 7191 mc. Total de plată: 96,40 lei.
=== ca table codi d'accés
Caixa Montseny <seguretat@caixamontseny.example>
El teu codi d'accés
Hola, Núria,
Introdueix aquest codi per entrar al teu compte:
> {622482}
Caduca d'aquí a 10 minuts.
- Caixa Montseny, SCC · NIF F29606215
=== ca simple usuari
Biblioteca Popular <prestec@bibliotecapopular.example>
El teu nom d'usuari
El teu nom d'usuari és jordi.puig95 i el número de carnet, 159176451.
=== ca card accepta la invitació
Colla Gegantera <colla@gegants.example>
La Mireia t'ha convidat
[!Accepta](https://gegants.example/inv/wh55eeef)
Ens veiem dissabte a la plaça.
=== gl text código de verificación
Banco da Costa <avisos@bancodacosta.example>
Código de verificación
Ola, Uxía:
O teu código de verificación é {635770}. Úsao nos próximos 10 minutos para iniciar sesión.
Se non o pediches ti, ignora esta mensaxe.
=== gl table restablecer contrasinal
Libraría Camiño <conta@camino-libros.example>
Restablece o teu contrasinal
Preme no botón para escoller un contrasinal novo.
[!Restablecer o contrasinal](https://camino-libros.example/contrasinal/KQJ7bjmr5s)
- Rúa Nova 15, Santiago
`);
