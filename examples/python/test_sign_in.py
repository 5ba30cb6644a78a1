# python3 -m pytest (or python3 test_sign_in.py)
import json, os, smtplib, urllib.request, uuid

POSTERN_URL = os.environ.get("POSTERN_URL", "http://127.0.0.1:8025")
SMTP_PORT = int(os.environ.get("SMTP_PORT", "1025"))


def test_the_sign_in_mail_carries_the_code():
    to = f"{uuid.uuid4()}@example.com"
    with smtplib.SMTP("localhost", SMTP_PORT) as app:
        app.sendmail("app@example.com", to, f"To: {to}\nSubject: Sign in\n\nYour code is 493817.\n")

    with urllib.request.urlopen(f"{POSTERN_URL}/api/v1/inboxes/{to}/messages/wait?since=0") as response:
        assert json.load(response)["data"]["otp"] == "493817"


if __name__ == "__main__":
    test_the_sign_in_mail_carries_the_code()
