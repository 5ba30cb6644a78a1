module example.com/signin

go 1.21
