import { readMails } from './judge-layouts.ts';

/** English mails. */
export const judgeEnglish = readMails(`
=== en text code alone with colon
Tessellate <hello@tessellate.example>
Signing in
Your code: {W4EW-JPF8}
=== en table code in a cell
Harrow & Finch <security@harrowfinch.example>
Finish signing in to Harrow & Finch
# One more step
Enter this code in the window where you started. It works once and for the next 10 minutes.
> {285748}
Nobody from our branch will ever ask you for it.
- Harrow & Finch Building Society, 14 Mercer Row, Leeds LS1 5AB. Registered in England no. 03981251.
- Calls to 0113 428 6588 may be recorded. © 2026
=== en simple user name beside the code
Bluebell Library <accounts@bluebell-library.example>
Getting you back in
Hello Priya,
You told us you had forgotten both your user name and your password.
Your user name is: priya330
To choose a new password, type {51137431} on the reset page.
- Bluebell Public Library, desk open Mon to Fri 9:30-18:00
=== en text user name only
Chess Circle <members@chesscircle.example>
Your user name
Hi there,
someone asked us to remind you of the user name that belongs to this address. It is:
rook_master1817
If you have forgotten your password as well, ask for a reset on the sign-in page.
- Chess Circle, P.O. Box 969, Wellington
=== en card code and cancel link
Lockgrove <noreply@lockgrove.example>
{604697} is your Lockgrove verification code
> {604697}
Use it to approve your sign-in from Lisbon, Portugal.
Not you? [Cancel this code](https://lockgrove.example/codes/revoke/38fd45bfdc9895ec) and we will sign that device out.
- Lockgrove Ltd · [Privacy](https://lockgrove.example/privacy)
=== en table code beside a report button
Quillpay <alerts@quillpay.example>
Confirm your transfer
You are about to send £340.00 to M. Okafor, account ending in 8774.
Confirm with the one-time passcode below.
> {930 357}
[This wasn't me](https://quillpay.example/fraud/stop?ref=8gRkP4HYAE3y56)
- Quillpay is a trading name of Quill Money Ltd, FRN 368666.
=== en text recovery code in groups
Vaultleaf <support@vaultleaf.example>
Keep this somewhere safe
Two-step verification is now on for your Vaultleaf account. If you ever lose your phone, sign in with this recovery code instead:
{FP3Y-496F-MAJ4-HNS5}
It can be used only once. Print it, or store it away from your computer.
- Vaultleaf · Oslo · Toronto
=== en simple recovery code in one piece
Orderly Notes <team@orderlynotes.example>
Your new recovery key
A new recovery key was generated for your Orderly Notes account. The previous one no longer works.
Recovery key: {pxnk5if4n7d4s777}
You will need it if you are locked out.
=== en dense mixed-case code
IDentia <login@identia.example>
IDentia sign-in
Hi Marcus,
type this in your browser to sign in: {cDa9vZ}
Upper and lower case matter. Valid until 14:35.
- IDentia, part of Norwood Systems
=== en simple subject only
Pebble Order <no-reply@pebbleorder.example>
{05093} is your Pebble Order login code
Someone is trying to sign in to the restaurant dashboard. The code is in the subject of this message so that you can read it in the notification.
It lapses after five minutes.
=== en table code only in the image
Fernhill Clinic <portal@fernhill-clinic.example>
Your portal code
Please use the one-time code shown below to open your patient portal.
img: One-time code: {696767}
Cannot see it? Switch on images, or phone the front desk on (02) 8994 6856.
- Fernhill Clinic, Level 3, 88 Outram Street
=== en both code among other numbers
Wattle Energy <online@wattle-energy.example>
Your Wattle Energy security code
Dear Ms Carver,
| Customer number | 917681437
| Contract | WE-2451450
| Supply point | 64868758374
To see your contract online, enter the security code {713086} within 15 minutes.
Questions? Call 1300 038 793, weekdays 8 am to 7 pm.
- Wattle Energy Pty Ltd, ABN 89 806 941 967
=== en card pair a device
Lumen TV <devices@lumentv.example>
Link your television
Open lumentv.example/link on your phone and type these characters:
> {VGX-SMY}
Device: Lumen Stick 4K, living room
=== en split digits in their own boxes
Parcelwise <hello@parcelwise.example>
Confirm it's you
Type these six digits in the app.
> {937614}
They expire in 20 minutes.
=== en markdown link with the code in it
Northbeam <auth@northbeam.example>
Sign in to Northbeam
Your sign-in code is {152245}. You can also open the link below on this device.
[!Sign in now](https://app.northbeam.example/auth/otp?email=dana&otp=152245)
If you didn't try to sign in, you can ignore this.
=== en table join with a short secret
Huddlehouse <invites@huddlehouse.example>
Teo invited you to Spring Launch
Teo Lindqvist wants you on the team "Spring Launch". Three colleagues are there already.
[!Join](https://huddlehouse.example/j/RQJ7Jck)
[What is Huddlehouse?](https://huddlehouse.example/about)
- You get this because Teo typed your address. [Stop invitations](https://huddlehouse.example/optout)
=== en table accept through a click tracker
Grainyard <people@grainyard.example>
You've been added to the Bakers rota
Hi Ruth, your shift lead would like you on the rota.
[!Accept](https://click.grainyard.example/c/VbfPg2vrV/YMA3Zm/GZd3)
[See the staff handbook](https://click.grainyard.example/c/trbNRAm6G/4SekqW/fDa8)
- Grainyard Bakeries · [Preferences](https://click.grainyard.example/c/R7ksW684R/9Ypr3P/eiR8)
=== en card activate several short pieces
Solstice Gym <join@solsticegym.example>
Welcome aboard, Ines
Thanks for signing up at the desk. Your membership number is 5398484.
[!Activate](https://my.solsticegym.example/m/s7s/u48e)
Opening hours and class times are [here](https://solsticegym.example/times).
=== en text reset link
Cobblestone Forum <forum@cobblestone.example>
[Cobblestone] Password reset for user gritstone31
Hello gritstone,
follow this link to set a new password:
<!https://forum.cobblestone.example/u/reset/s2t2jw8k84e>
It stops working tomorrow. If it was not you who asked, there is nothing to do.
=== en breaks address change
Saltmarsh Bank <service@saltmarsh.example>
Please confirm your new e-mail address
Dear customer,
you changed your e-mail address on 3 March. Please confirm that we may write to you here.
[!Confirm this address](https://saltmarsh.example/profile/email/confirm?k=5560db85514834217708dbde)
If you did not make the change, call 0800 555 5936 at once.
=== en dense newsletter opt-in
The Weekly Loom <letters@weeklyloom.example>
Just checking
You (or someone with your address) signed up for The Weekly Loom. We only write to people who say yes:
[!Yes, subscribe me](https://weeklyloom.example/s/ok/awewHSQ3)
- The Weekly Loom, 5 Tanner's Yard, Kendal
=== en table card receipt
Copperkettle Café <receipts@copperkettle.example>
Your receipt from Copperkettle Café
# £11.40
Paid 9 June 2026 at 08:52
| Flat white × 2 | £7.20
| Cinnamon bun | £4.20
| Receipt | #0807-1218
| Auth code | 134001
| Card | Visa ending in 9072
- VAT no. GB 532750535
=== en table flight with a confirmation code
Kestrel Air <bookings@kestrelair.example>
You're going to Reykjavík – confirmation code 8G9MKY
Thank you for booking, Mr Adeyemi. Show the code at the desk if you can't check in online.
> 8G9MKY
| KA 1325 | Manchester MAN 07:05 – Keflavík KEF 09:45
| Seat | 14C
| Ticket number | 495-5239528783
[Manage booking](https://kestrelair.example/manage)
=== en card promotion code
Marigold Soap <hello@marigoldsoap.example>
Your 15% code is inside
Enter the code at checkout and save on everything until Sunday.
> FRESH54
[Shop now](https://marigoldsoap.example/shop)
- Not valid with other offers. [Unsubscribe](https://marigoldsoap.example/u/XEXhap6vitRx)
=== en both parcel on its way
Swiftmule <track@swiftmule.example>
Your parcel arrives today between 11:40 and 12:40
No PIN is needed, just be at home.
| Tracking number | SM328363683GB
| From | Oak & Thread
[Follow your driver](https://swiftmule.example/t/VC3P5LPEJA)
=== en text password changed
Riverbend Mail <postmaster@riverbend.example>
Your password was changed
The password of your mailbox was changed on 17 February 2026 at 21:14 from 203.0.113.41.
If that was you, all is well. If not, please go to the nearest service point with your identity card.
- Case reference RB-284825
=== en simple help article
Docket Help <help@docket.example>
How to find your verification code
Hi Sam, thanks for your question.
Verification codes have six digits and come from the short number 01679. They are sent by text message only, so you will not find one in your e-mail.
Still stuck? Reply to this message and keep ticket [#307097] in the subject.
=== en table gas meter reading
Heathgas <readings@heathgas.example>
It's time for your meter reading
Please send us the reading of meter G4-43783273 by 30 April. Last time it was 32952.
[Send a reading](https://heathgas.example/readings)
- Heathgas, customer line 0345 477 8002
=== en card lottery
Village Draw <results@villagedraw.example>
Draw 1,017: the winning numbers
> 04 11 19 27 33 – 08
Your ticket 3224-05284 did not win this time. Good luck on Saturday!
=== en dense class moved
Dunmore College <registry@dunmore.example>
Room change for CHEM0120
CHEM class, section 67384, meets in room B214 from Monday.
Your student number is unchanged.
- Registry, Dunmore College
=== en simple new device notice
Plover <security@plover.example>
New sign-in on Pixel 9 Pro
We noticed a sign-in to your account on a Pixel 9 Pro (Android 16, build BP2A.784166.003).
You entered the code that we sent by text message. Nothing else is needed.
=== en both statement
Ashby Credit Union <statements@ashbycu.example>
Your May statement is ready
Account ending in 1713: closing balance $2,318.06.
[Open statement](https://ashbycu.example/docs/statement?d=4556b65061c4599d64ed)
Routing number 023118747 · Member since 2011
=== en table ticket with barcode
Odeum <tickets@odeum.example>
Your tickets for The Glass Orchard
| Saturday 18 July, 19:30 | Stalls, row F, seats 11–12
| Order | 8858968547
| Barcode | 2572909245590
[Add to wallet](https://odeum.example/w/VCGPMa9SC5)
=== en text appointment
Market Street Dental <desk@marketdental.example>
See you on Tuesday
Dear Joel, this is a reminder of your check-up with Dr Abara on Tuesday at 10:20.
To change the time, phone 020 9383 7630 and quote patient number 294343.
- Ground floor, 41 Market Street
=== en markdown site with digits in its name
Studio 4711 <news@studio4711.example>
Studio 4711: three new rooms
[https://studio4711.example/rooms](https://studio4711.example/rooms)
We have opened rooms 301, 302 and 303 in the old mill. Come and look.
=== en simple magic link and code
Tern <hi@tern.example>
Sign in to Tern
[!Sign in to Tern](https://tern.example/login/link/48X53SpcttLbGGZcw4NeNU)
Or copy and paste this one-time code: {vincn-bkzkv}
If you didn't try to log in, you can safely ignore this e-mail.
`);
