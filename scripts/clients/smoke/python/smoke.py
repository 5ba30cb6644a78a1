# A code by mail, with the client that openapi-python-client makes.
import os
import smtplib

from postern_client import AuthenticatedClient
from postern_client.api.inboxes import create_inbox, delete_inbox, get_inbox
from postern_client.api.messages import get_message
from postern_client.api.waiting import wait_for_message
from postern_client.models import Error, InboxData, MessageData, NewInbox

client = AuthenticatedClient(os.environ["POSTERN_URL"], os.environ["POSTERN_API_KEY"])
created = create_inbox.sync(client=client, body=NewInbox(label="smoke"))
assert isinstance(created, InboxData)
inbox = created.data
host, port = os.environ["POSTERN_SMTP"].split(":")
mail = f"From: app@example.com\r\nTo: {inbox.address}\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n"
with smtplib.SMTP(host, int(port)) as smtp:
    smtp.sendmail("app@example.com", [inbox.address], mail)
waited = wait_for_message.sync(inbox.id, client=client, since="0")
assert isinstance(waited, MessageData)
read = get_message.sync(waited.data.id, client=client)
assert isinstance(read, MessageData)
deleted = delete_inbox.sync_detailed(inbox.id, client=client)
gone = get_inbox.sync(inbox.id, client=client)
assert isinstance(gone, Error)
print(read.data.otp, read.data.subject, int(deleted.status_code), gone.error.code)
