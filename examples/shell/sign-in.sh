#!/bin/sh
# postern capture & ./sign-in.sh
set -eu
to="user-$$@example.com"

postern ready --wait 10
# Here your app would send the mail.
postern send --to "$to" --subject 'Sign in' --text 'Your code is 493817.'

code=$(postern wait "$to" --code --timeout 10)
test "$code" = 493817 && echo "signed in with $code"
