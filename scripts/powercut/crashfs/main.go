// crashfs is a FUSE file system over a folder. It logs every operation that changes the folder, with its data and in
// the exact order, including fsyncs. scripts/powercut/simulate.ts rebuilds from the log what a power cut at any
// moment may leave.
//
//	crashfs -backing DIR -mount DIR -log FILE -control SOCKET [-sync-delay 1ms]
//
// A log record: u32 length of a JSON head, the head, u32 length of the data, the data (little endian). Control (HTTP
// over the unix socket): POST /mark JSON appends a record and answers with its number, POST /flush writes the log to
// its file.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

type head struct {
	N     int64           `json:"n"`
	Op    string          `json:"op"`
	ID    int64           `json:"id,omitempty"`
	Dir   int64           `json:"dir,omitempty"`
	Name  string          `json:"name,omitempty"`
	Dir2  int64           `json:"dir2,omitempty"`
	Name2 string          `json:"name2,omitempty"`
	Off   int64           `json:"off,omitempty"`
	Size  int64           `json:"size,omitempty"`
	Mark  json.RawMessage `json:"mark,omitempty"`
	Path  string          `json:"path,omitempty"`
}

// recorder serialises all changes, so that the log has them in the order in which they were made.
type recorder struct {
	sync.Mutex
	out  *bufio.Writer
	n    int64
	ids  map[uint64]int64 // by inode
	next int64
}

func (r *recorder) write(h head, data []byte) int64 {
	r.n++
	h.N = r.n
	text, err := json.Marshal(h)
	if err != nil {
		log.Fatal(err)
	}
	var size [4]byte
	for _, part := range [][]byte{text, data} {
		binary.LittleEndian.PutUint32(size[:], uint32(len(part)))
		r.out.Write(size[:])
		if _, err := r.out.Write(part); err != nil {
			log.Fatal(err) // a log with a gap would prove nothing
		}
	}
	return r.n
}

func (r *recorder) fresh(path string) int64 {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		log.Fatal(err)
	}
	r.next++
	r.ids[st.Ino] = r.next
	return r.next
}

// known returns the id of a file. A record binds a file from before the log to its path.
func (r *recorder) known(path string) int64 {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return 0
	}
	if id, ok := r.ids[st.Ino]; ok {
		return id
	}
	id := r.fresh(path)
	rel, _ := filepath.Rel(backing, path)
	r.write(head{Op: "bind", ID: id, Path: rel}, nil)
	return id
}

// forget drops the inode of a file whose last name is gone: the backing file system will reuse it for another file.
func (r *recorder) forget(path string) func() {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil || (st.Nlink > 1 && st.Mode&syscall.S_IFMT != syscall.S_IFDIR) {
		return func() {}
	}
	return func() { delete(r.ids, st.Ino) }
}

var (
	rec       = &recorder{ids: map[uint64]int64{}}
	backing   string
	syncDelay time.Duration
)

type node struct{ fs.LoopbackNode }

func (n *node) at(name string) string { return filepath.Join(n.RootData.Path, n.Path(n.Root()), name) }
func (n *node) here() string          { return n.at("") }

func exists(path string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(path, &st) == nil
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	rec.Lock()
	defer rec.Unlock()
	path := n.at(name)
	was := exists(path)
	dir := rec.known(n.here())
	inode, fh, ff, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	if errno != 0 {
		return inode, fh, ff, errno
	}
	var id int64
	if was {
		id = rec.known(path)
		if flags&syscall.O_TRUNC != 0 {
			rec.write(head{Op: "truncate", ID: id}, nil)
		}
	} else {
		id = rec.fresh(path)
		rec.write(head{Op: "create", ID: id, Dir: dir, Name: name}, nil)
	}
	return inode, wrap(fh, id, path), ff, 0
}

func (n *node) Mknod(ctx context.Context, name string, mode, rdev uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	rec.Lock()
	defer rec.Unlock()
	dir := rec.known(n.here())
	in, errno := n.LoopbackNode.Mknod(ctx, name, mode, rdev, out)
	if errno == 0 {
		op := "mknod" // a socket or a pipe has no content
		if mode&syscall.S_IFMT == syscall.S_IFREG || mode&syscall.S_IFMT == 0 {
			op = "create"
		}
		rec.write(head{Op: op, ID: rec.fresh(n.at(name)), Dir: dir, Name: name}, nil)
	}
	return in, errno
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	rec.Lock()
	defer rec.Unlock()
	dir := rec.known(n.here())
	in, errno := n.LoopbackNode.Mkdir(ctx, name, mode, out)
	if errno == 0 {
		rec.write(head{Op: "mkdir", ID: rec.fresh(n.at(name)), Dir: dir, Name: name}, nil)
	}
	return in, errno
}

func (n *node) remove(name string, run func() syscall.Errno) syscall.Errno {
	rec.Lock()
	defer rec.Unlock()
	dir, id := rec.known(n.here()), rec.known(n.at(name))
	forget := rec.forget(n.at(name))
	errno := run()
	if errno == 0 {
		forget()
		rec.write(head{Op: "unlink", ID: id, Dir: dir, Name: name}, nil)
	}
	return errno
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	return n.remove(name, func() syscall.Errno { return n.LoopbackNode.Unlink(ctx, name) })
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	return n.remove(name, func() syscall.Errno { return n.LoopbackNode.Rmdir(ctx, name) })
}

func (n *node) Rename(ctx context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	if flags != 0 {
		return syscall.EINVAL // an exchange: the simulator does not know it
	}
	rec.Lock()
	defer rec.Unlock()
	target := to.(*node)
	dir, dir2, id := rec.known(n.here()), rec.known(target.here()), rec.known(n.at(name))
	forget := rec.forget(target.at(newName))
	errno := n.LoopbackNode.Rename(ctx, name, to, newName, flags)
	if errno == 0 {
		forget()
		rec.write(head{Op: "rename", ID: id, Dir: dir, Name: name, Dir2: dir2, Name2: newName}, nil)
	}
	return errno
}

func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	rec.Lock()
	defer rec.Unlock()
	dir, id := rec.known(n.here()), rec.known(target.(*node).here())
	in, errno := n.LoopbackNode.Link(ctx, target, name, out)
	if errno == 0 {
		rec.write(head{Op: "link", ID: id, Dir: dir, Name: name}, nil)
	}
	return in, errno
}

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, syscall.EPERM
}

// CopyFileRange is refused, so that copies arrive as reads and writes.
func (n *node) CopyFileRange(ctx context.Context, in fs.FileHandle, offIn uint64, out *fs.Inode, to fs.FileHandle, offOut, size, flags uint64) (uint32, syscall.Errno) {
	return 0, syscall.ENOSYS
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	rec.Lock()
	defer rec.Unlock()
	path := n.here()
	id := rec.known(path)
	fh, ff, errno := n.LoopbackNode.Open(ctx, flags)
	if errno != 0 {
		return fh, ff, errno
	}
	if flags&syscall.O_TRUNC != 0 {
		rec.write(head{Op: "truncate", ID: id}, nil)
	}
	return wrap(fh, id, path), ff, 0
}

func (n *node) Setattr(ctx context.Context, fh fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	rec.Lock()
	defer rec.Unlock()
	var id int64
	if f, ok := fh.(*file); ok {
		id = f.id
	} else {
		id = rec.known(n.here())
	}
	size, hasSize := in.GetSize()
	errno := n.LoopbackNode.Setattr(ctx, fh, in, out)
	if errno == 0 && hasSize {
		rec.write(head{Op: "truncate", ID: id, Size: int64(size)}, nil)
	}
	return errno
}

// Fsync is called for files, and without a handle for folders.
func (n *node) Fsync(ctx context.Context, fh fs.FileHandle, flags uint32) syscall.Errno {
	if f, ok := fh.(*file); ok {
		return f.Fsync(ctx, flags)
	}
	rec.Lock()
	defer rec.Unlock()
	rec.write(head{Op: "fsyncdir", ID: rec.known(n.here())}, nil)
	return 0
}

// loopbackFile lists the methods of the library's handle of an open file.
type loopbackFile interface {
	fs.FileReader
	fs.FileWriter
	fs.FileReleaser
	fs.FileGetattrer
	fs.FileSetattrer
	fs.FileLseeker
}

type file struct {
	inner loopbackFile
	id    int64
	path  string
}

func wrap(fh fs.FileHandle, id int64, path string) fs.FileHandle {
	return &file{fh.(loopbackFile), id, path}
}

func (f *file) Read(ctx context.Context, buf []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	return f.inner.Read(ctx, buf, off)
}

func (f *file) Write(ctx context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	rec.Lock()
	defer rec.Unlock()
	written, errno := f.inner.Write(ctx, data, off)
	if errno == 0 {
		data = data[:written]
		if strings.HasSuffix(f.path, "-shm") {
			data = nil // SQLite recreates it after a crash; the simulator fills it with noise
		}
		rec.write(head{Op: "write", ID: f.id, Off: off, Size: int64(written)}, data)
	}
	return written, errno
}

// Fsync covers what was written before it began, and takes effect once it is in the log.
func (f *file) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	rec.Lock()
	began := rec.n
	rec.Unlock()
	if syncDelay > 0 {
		time.Sleep(syncDelay)
	}
	rec.Lock()
	defer rec.Unlock()
	rec.write(head{Op: "fsync", ID: f.id, Off: began}, nil)
	return 0
}

func (f *file) Flush(ctx context.Context) syscall.Errno   { return 0 }
func (f *file) Release(ctx context.Context) syscall.Errno { return f.inner.Release(ctx) }
func (f *file) Getattr(ctx context.Context, out *fuse.AttrOut) syscall.Errno {
	return f.inner.Getattr(ctx, out)
}
func (f *file) Setattr(ctx context.Context, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return f.inner.Setattr(ctx, in, out)
}
func (f *file) Lseek(ctx context.Context, off uint64, whence uint32) (uint64, syscall.Errno) {
	return f.inner.Lseek(ctx, off, whence)
}

// Allocate is refused: the simulator knows writes and truncations only.
func (f *file) Allocate(ctx context.Context, off, size uint64, mode uint32) syscall.Errno {
	return syscall.ENOTSUP
}

func control(socket string) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/mark", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil || !json.Valid(body) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		rec.Lock()
		defer rec.Unlock()
		fmt.Fprint(w, rec.write(head{Op: "mark", Mark: body}, nil))
	})
	http.HandleFunc("/flush", func(w http.ResponseWriter, r *http.Request) {
		rec.Lock()
		defer rec.Unlock()
		if err := rec.out.Flush(); err != nil {
			log.Fatal(err)
		}
	})
	go http.Serve(listener, nil)
}

func main() {
	mount := flag.String("mount", "", "where the file system appears")
	logFile := flag.String("log", "", "the log")
	socket := flag.String("control", "", "the unix socket for marks")
	flag.StringVar(&backing, "backing", "", "the folder that holds the files")
	flag.DurationVar(&syncDelay, "sync-delay", 0, "what an fsync takes, so that other writes fall into it")
	flag.Parse()
	out, err := os.OpenFile(*logFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	rec.out = bufio.NewWriterSize(out, 1<<20)
	syscall.Umask(0)
	var st syscall.Stat_t
	if err := syscall.Stat(backing, &st); err != nil {
		log.Fatal(err)
	}
	data := &fs.LoopbackRoot{Path: backing, Dev: uint64(st.Dev)}
	data.NewNode = func(root *fs.LoopbackRoot, parent *fs.Inode, name string, st *syscall.Stat_t) fs.InodeEmbedder {
		return &node{fs.LoopbackNode{RootData: root}}
	}
	root := data.NewNode(data, nil, "", &st)
	rec.known(backing)
	second := time.Second
	options := &fs.Options{AttrTimeout: &second, EntryTimeout: &second, NullPermissions: true}
	options.MountOptions = fuse.MountOptions{DirectMount: true, FsName: "crashfs", Name: "crashfs", MaxWrite: 1 << 20}
	server, err := fs.Mount(*mount, root, options)
	if err != nil {
		log.Fatal(err)
	}
	control(*socket)
	fmt.Println("mounted")
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-ended
		if err := server.Unmount(); err != nil {
			syscall.Unmount(*mount, syscall.MNT_DETACH)
		}
	}()
	server.Wait()
	rec.Lock()
	defer rec.Unlock()
	if err := rec.out.Flush(); err != nil {
		log.Fatal(err)
	}
}
