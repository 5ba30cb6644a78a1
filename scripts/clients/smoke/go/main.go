// A code by mail, with the generated Go client.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/smtp"
	"os"

	"postern"
)

func main() {
	ctx := context.Background()
	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTERN_API_KEY"))
		return nil
	}
	client, err := postern.NewClientWithResponses(os.Getenv("POSTERN_URL"), postern.WithRequestEditorFn(bearer))
	check(err)
	label := "smoke"
	created, err := client.CreateInboxWithResponse(ctx, nil, postern.NewInbox{Label: &label})
	check(err)
	inbox := created.JSON201.Data

	mail := "From: app@example.com\r\nTo: " + inbox.Address + "\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n"
	check(smtp.SendMail(os.Getenv("POSTERN_SMTP"), nil, "app@example.com", []string{inbox.Address}, []byte(mail)))

	since := "0"
	waited, err := client.WaitForMessageWithResponse(ctx, inbox.Id, &postern.WaitForMessageParams{Since: &since})
	check(err)
	read, err := client.GetMessageWithResponse(ctx, waited.JSON200.Data.Id)
	check(err)
	deleted, err := client.DeleteInboxWithResponse(ctx, inbox.Id)
	check(err)
	gone, err := client.GetInboxWithResponse(ctx, inbox.Id)
	check(err)
	fmt.Println(*read.JSON200.Data.Otp, read.JSON200.Data.Subject, deleted.StatusCode(), gone.JSON404.Error.Code)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
