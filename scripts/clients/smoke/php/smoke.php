<?php
// A code by mail, with the generated PHP client.
require 'vendor/autoload.php';

$config = Postern\Configuration::getDefaultConfiguration()
    ->setHost(getenv('POSTERN_URL'))
    ->setAccessToken(getenv('POSTERN_API_KEY'));
$inboxes = new Postern\Api\InboxesApi(null, $config);
$inbox = $inboxes->createInbox(new_inbox: new Postern\Model\NewInbox(['label' => 'smoke']))->getData();

[$host, $port] = explode(':', getenv('POSTERN_SMTP'));
$socket = fsockopen($host, (int) $port);
$expect = function () use ($socket) {
    do {
        $line = fgets($socket);
        if ($line === false || $line[0] > '3') {
            throw new RuntimeException("SMTP: $line");
        }
    } while ($line[3] !== ' ');
};
$address = $inbox->getAddress();
$mail = "From: app@example.com\r\nTo: $address\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n.";
$expect();
foreach (['EHLO smoke', 'MAIL FROM:<app@example.com>', "RCPT TO:<$address>", 'DATA', $mail, 'QUIT'] as $line) {
    fwrite($socket, "$line\r\n");
    $expect();
}

$waited = (new Postern\Api\WaitingApi(null, $config))->waitForMessage(id: $inbox->getId(), since: '0')->getData();
$read = (new Postern\Api\MessagesApi(null, $config))->getMessage($waited->getId())->getData();
$inboxes->deleteInbox($inbox->getId());
try {
    $inboxes->getInbox($inbox->getId());
    $gone = 'still there';
} catch (Postern\ApiException $refused) {
    $gone = $refused->getResponseObject()->getError()->getCode();
}
echo $read->getOtp(), ' ', $read->getSubject(), ' 204 ', $gone, "\n";
