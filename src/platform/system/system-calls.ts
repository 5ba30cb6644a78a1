/*
 * The system calls of Linux that a confined process is refused (confine.ts), by what they are for.
 */

/** The number of a system call on x86-64 and on arm64, which lacks the oldest ones (asm/unistd.h). */
export type CallNumbers = readonly [x64: number, arm64: number | null];

export type SystemCalls = Readonly<Record<string, CallNumbers>>;

/** Starting programs and processes. */
export const programs = {
  execve: [59, 221],
  execveat: [322, 281],
  fork: [57, null],
  vfork: [58, null],
} as const satisfies SystemCalls;

/** Reading, changing, stopping or slowing down other processes of the same user. */
export const otherProcesses = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  kill: [62, 129],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  /** Returns an address in a thread of another process. */
  get_robust_list: [274, 100],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  process_mrelease: [448, 448],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  /** Has all disks write. */
  sync: [162, 81],
  syncfs: [306, 267],
} as const satisfies SystemCalls;

/** Sockets of all kinds; the channel to the parent is open already. */
export const sockets = {
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  /** Also send open files; while these are under way, they count against the user, and the parent could send none. */
  sendmsg: [46, 211],
  sendmmsg: [307, 269],
  /** Also gives a socket larger buffers in the kernel's memory, or a program that the kernel runs. */
  setsockopt: [54, 208],
} as const satisfies SystemCalls;

/** What not even a process that uses the internet needs. */
export const servingSockets = {
  /** A datagram socket of a pair can send to any local socket. */
  socketpair: [53, 199],
  /** A second socket at a port of the server, which may share its ports (SO_REUSEPORT), would get its connections. */
  listen: [50, 201],
} as const satisfies SystemCalls;

/** Memory that is not in the process's resident size, which its parent bounds. */
export const hiddenMemory = {
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  pipe: [22, null],
  pipe2: [293, 59],
  io_setup: [206, 0],
  landlock_create_ruleset: [444, 444],
  /** What these watch and send also counts against the server's user. The loop of the engine is there already. */
  epoll_create: [213, null],
  epoll_create1: [291, 20],
  timer_create: [222, 107],
} as const satisfies SystemCalls;

export const openingFiles = {
  open: [2, null],
  creat: [85, null],
  openat: [257, 56],
  openat2: [437, 437],
} as const satisfies SystemCalls;

/** Asking about files by name. The engine does so for the name of the time zone, which is then UTC. */
export const findingFiles = {
  stat: [4, null],
  lstat: [6, null],
  newfstatat: [262, 79],
  statx: [332, 291],
  statfs: [137, 43],
  access: [21, null],
  faccessat: [269, 48],
  faccessat2: [439, 439],
  readlink: [89, null],
  readlinkat: [267, 78],
  chdir: [80, 49],
  fchdir: [81, 50],
  name_to_handle_at: [303, 264],
  getxattr: [191, 8],
  lgetxattr: [192, 9],
  listxattr: [194, 11],
  llistxattr: [195, 12],
} as const satisfies SystemCalls;

/** Changing files, and other ways to them. */
export const changingFiles = {
  open_by_handle_at: [304, 265],
  truncate: [76, 45],
  rename: [82, null],
  renameat: [264, 38],
  renameat2: [316, 276],
  mkdir: [83, null],
  mkdirat: [258, 34],
  rmdir: [84, null],
  unlink: [87, null],
  unlinkat: [263, 35],
  link: [86, null],
  linkat: [265, 37],
  symlink: [88, null],
  symlinkat: [266, 36],
  mknod: [133, null],
  mknodat: [259, 33],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  fanotify_init: [300, 262],
} as const satisfies SystemCalls;

/** What root may do, in case the server runs as root, and the parts of the kernel that most of its faults were in. */
export const kernel = {
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_submit: [209, 2],
  vmsplice: [278, 75],
  splice: [275, 76],
  tee: [276, 77],
  modify_ldt: [154, null],
  personality: [135, 92],
  uselib: [134, null],
  /** A filter of its own could write to the log of the kernel at every call. */
  seccomp: [317, 277],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  vhangup: [153, 58],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  iopl: [172, null],
  ioperm: [173, null],
  /** After a change of the user, the kernel forgets that the process is to end with its parent. */
  setuid: [105, 146],
  setgid: [106, 144],
  setreuid: [113, 145],
  setregid: [114, 143],
  setresuid: [117, 147],
  setresgid: [119, 149],
  setfsuid: [122, 151],
  setfsgid: [123, 152],
  setgroups: [116, 159],
  capset: [126, 91],
  setrlimit: [160, 164],
} as const satisfies SystemCalls;

/** Later calls are not listed here: map_shadow_stack of Linux 6.6, and what follows. They fail as they do on an older kernel. */
export const LATER_FROM = 453;

/** Calls of which only some uses are refused. */
export const conditional = {
  /** Threads are allowed, processes are not, nor a thread with open files of its own, which have limits of their own. */
  clone: [56, 220],
  /** Its flags are in memory, where the filter can't look. Without it, the C library uses clone. */
  clone3: [435, 435],
  /** The garbage collector stops threads of this process with signals. */
  tgkill: [234, 131],
  /** It uses this one with musl. The process is not named, but only the main thread runs JavaScript, and its id is the process's. */
  tkill: [200, 130],
  /** Threads are named. It could also ask to outlive the parent. */
  prctl: [157, 167],
  /** Reads the limit of the stack. It could also change those of other processes and, as root, raise its own. */
  prlimit64: [302, 261],
  /**
   * Could have a signal sent to another process, any signal, whenever something arrives at a socket. A lease (F_SETLEASE) would have
   * the server wait for 45 seconds when it opens a file that it passed.
   */
  fcntl: [72, 25],
  /** Could do the same to other processes, and more to a file that it was passed, such as making it immutable. */
  ioctl: [16, 29],
  /** Shared memory is still used when it is not in the process's resident size. */
  mmap: [9, 222],
} as const satisfies SystemCalls;
