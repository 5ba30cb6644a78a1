module postern/crashfs

go 1.19

require github.com/hanwen/go-fuse/v2 v2.5.1

require golang.org/x/sys v0.28.0 // indirect
