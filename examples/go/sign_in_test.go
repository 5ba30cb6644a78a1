package signin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/smtp"
	"os"
	"testing"
	"time"
)

func env(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func TestSignInMailCarriesTheCode(t *testing.T) {
	to := fmt.Sprintf("user-%d@example.com", time.Now().UnixNano())
	mail := []byte("To: " + to + "\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n")
	if err := smtp.SendMail("localhost:"+env("SMTP_PORT", "1025"), nil, "app@example.com", []string{to}, mail); err != nil {
		t.Fatal(err)
	}

	response, err := http.Get(env("POSTERN_URL", "http://127.0.0.1:8025") + "/api/v1/inboxes/" + to + "/messages/wait?since=0")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var message struct{ Data struct{ OTP string } }
	if err := json.NewDecoder(response.Body).Decode(&message); err != nil || message.Data.OTP != "493817" {
		t.Fatalf("code %q, error %v", message.Data.OTP, err)
	}
}
