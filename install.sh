#!/bin/sh
# Installs Postern on a Linux machine with systemd. Run it again to upgrade: it keeps settings and mail, makes a backup
# first, and rolls back a version that does not start. `usage` below explains its arguments.
#
# Without --from it installs from its own folder: a release folder (which has the executable `postern`) or a source
# checkout (which it builds). With --from it reads no file in its folder, so that it can come through a pipe.
# Everything is in functions, and only the last line calls them, so that a download which was cut off runs nothing.
set -eu
# Installed files are readable by everyone, whatever the umask was; private ones get their mode explicitly.
umask 022
root=${DESTDIR-}
case $root in '' | /*) ;; *) root=$PWD/$root ;; esac

bin=$root/usr/local/bin/postern
settings=$root/etc/postern/postern.env
unit=$root/etc/systemd/system/postern.service
# The nightly backup. The administrator turns its timer on.
backup_service=$root/etc/systemd/system/postern-backup.service
backup_timer=$root/etc/systemd/system/postern-backup.timer
doc=$root/usr/local/share/doc/postern
# The documents, and the files that they link to.
documents='README.md docs CHANGELOG.md LICENSE SECURITY.md CONTRIBUTING.md src/README.md clients/typescript/README.md
  clients/typescript/docs clients/python/README.md containers examples'
data=$root/var/lib/postern
# It belongs to root: in the data folder, the service's user could replace a backup with a link.
backups=$root/var/backups/postern
# The backup from before an upgrade that was interrupted.
interrupted=$backups/before-interrupted.db

die() {
  printf '%s\n' "$@" >&2
  exit 1
}

usage() {
  cat <<'END'
sh install.sh [--from URL|FILE [--sha256 SUM]] [--domain mail.example.com] [--email you@example.com] [--allow-older]
    install or upgrade. On the first install, --domain sets the mail domain and listens on port 25, and --email creates
    the first account and prints its API key. --from names a release archive, a bare executable, or (with / at its end)
    the folder of a release, in which the archive for this machine is chosen. The checksum must be in the file
    SHA256SUMS beside it, or be given with --sha256. A version older than the installed one needs --allow-older
sh install.sh --uninstall [--purge]
    uninstall; keeps settings and mail unless --purge is given
DESTDIR=/some/dir sh install.sh
    only copy the files into that folder, for packagers and tests
END
}

read_arguments() {
  action=install domain='' email='' purge='' from='' sha256='' allow_older=''
  while [ $# -gt 0 ]; do
    case $1 in
      --domain | --email | --from | --sha256)
        case ${2--} in -* | '') die "$1 needs a value" ;; esac
        case $1 in
          --domain) domain=$2 ;;
          --email) email=$2 ;;
          --from) from=$2 ;;
          --sha256) sha256=$2 ;;
        esac
        shift
        ;;
      --uninstall) action=uninstall ;;
      --purge) purge=yes ;;
      --allow-older) allow_older=yes ;;
      --help | -h) usage && exit 0 ;;
      *) die "unknown argument: $1" "$(usage)" ;;
    esac
    shift
  done
  [ -z "$purge" ] || [ "$action" = uninstall ] || die '--purge needs --uninstall: it removes the settings and all mail.'
  [ -z "$sha256" ] || [ -n "$from" ] || die '--sha256 needs --from: it is the checksum that the download must have.'
  given_sum=$sha256
  case $sha256 in *[!0-9a-f]*) die '--sha256 must be 64 hexadecimal digits, as sha256sum prints them.' ;; esac
  [ -z "$sha256" ] || [ ${#sha256} = 64 ] || die '--sha256 must be 64 hexadecimal digits, as sha256sum prints them.'
  # They are written into the settings file, and used in commands.
  case $domain$email in *[!A-Za-z0-9.@_+-]*) die '--domain or --email has an invalid value.' ;; esac
}

check_machine() {
  [ "$(uname -s)" = Linux ] || die "install.sh supports only Linux; this is $(uname -s). To try Postern here: scripts/start"
  [ -z "$root" ] || return 0
  [ "$(id -u)" = 0 ] || die 'install.sh creates a system user and a service, so it must run as root:' '  sudo sh install.sh'
  # Where systemd is not the first process, as in a container, systemctl may exist and do nothing.
  if ! command -v systemctl >/dev/null || [ "$(systemctl is-system-running 2>/dev/null)" = offline ]; then
    die 'systemd does not run on this machine. Nothing was changed.' \
      'Start the executable with your own service manager instead:  postern serve  (systemd/postern.service shows how).'
  fi
}

# Two runs at once would remove each other's files. The kernel releases the lock however this run ends. With DESTDIR there
# is no lock: there is no service either, and no folder where only the owner could take one.
lock() {
  [ -z "$root" ] || return 0
  command -v flock >/dev/null || return 0
  # No other user may open it, because anyone who can open it can lock it.
  (umask 077 && : >>/run/postern-install.lock)
  exec 9>>/run/postern-install.lock
  flock -n 9 || die 'Another install.sh is running on this machine. Nothing was changed; wait for it to end.'
}

# Finds the executable to install. Sets `executable` and `version`.
find_executable() {
  if [ -n "$from" ]; then
    fetch_release
  elif [ -x ./postern ]; then
    executable=./postern
  else
    [ -x scripts/build ] || die 'Neither the executable nor the sources are beside install.sh: use the whole release folder, or --from.'
    scripts/build
    executable=dist/postern
  fi
  # Checked before anything is changed: a build for another machine would take a working service down.
  version=$("$executable" version) || die "$executable does not run on this machine ($(uname -m)); the line above says why." \
    'Use the release for this machine. If it says "Permission denied", set TMPDIR to a folder that is not mounted noexec.'
}

# Sets `older` if this version is older than the installed one. A release server that was broken into, or is out of date, must not
# bring back a version with known vulnerabilities.
refuse_older() {
  older=''
  [ -x "$bin" ] || return 0
  installed=$("$bin" version 2>/dev/null | read_version) || return 0
  offered=$(printf '%s\n' "$version" | read_version)
  if [ "$installed" = "$offered" ] || [ -z "$installed" ] || [ -z "$offered" ]; then return 0; fi
  newest=$(printf '%s\n%s\n' "$installed" "$offered" | sort -V 2>/dev/null | tail -n 1)
  [ "$newest" = "$installed" ] || return 0
  older=yes
  [ -n "$allow_older" ] || die "$version is older than what is installed: $("$bin" version). Nothing was changed." \
    'To install it anyway, add --allow-older. If the store is too new for it, the installed version keeps running.'
}

# Prints the number in `Postern 1.2.3 (…)`. Its hyphens become ~, so that 1.2.3-rc.1 sorts before 1.2.3.
read_version() {
  sed -n '1s/^[^ ]* \([0-9][0-9A-Za-z.-]*\).*/\1/p' | tr - '~'
}

# Sets `machine` to the name that releases have for this one.
name_machine() {
  case $(uname -m) in
    x86_64 | amd64) machine=linux-x64 ;;
    aarch64 | arm64) machine=linux-arm64 ;;
    *) die "There is no release for $(uname -m); there is one for x86_64 and for arm64." ;;
  esac
  for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
    if [ -e "$loader" ]; then return 0; fi
  done
  for loader in /lib/ld-musl-*; do
    if [ -e "$loader" ]; then machine=$machine-musl; fi
  done
}

# Downloads or copies the release, verifies its checksum, unpacks it, and enters its folder. The installed version keeps
# serving meanwhile, and nothing outside the temporary folder is touched.
fetch_release() {
  name_machine
  # Left by a run that was killed.
  find "${TMPDIR:-/var/tmp}" -maxdepth 1 -name 'postern-install.??????' -user "$(id -u)" -mmin +60 -exec rm -rf {} + 2>/dev/null || true
  work=$(mktemp -d "${TMPDIR:-/var/tmp}/postern-install.XXXXXX") || die "There is no place for the download. Set TMPDIR to a folder with 300 MB free."
  if [ -d "$from" ]; then from=$from/; fi
  case $from in */*) base=${from%/*}/ ;; *) base=./ ;; esac
  name=${from##*/}
  # It is used in a pattern and as a file name.
  case $name in *[!0-9A-Za-z._+-]* | .*) die "--from must end in the name of a file, or in /: $from" ;; esac
  if [ -z "$sha256" ]; then
    get SHA256SUMS 1048576
    if [ -z "$name" ]; then name=$(find_for_machine); fi
    sha256=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$(printf %s "$name" | sed 's/[.]/[.]/g')\$/\1/p" "$work/SHA256SUMS" | head -n 1)
    [ -n "$sha256" ] || die "${base}SHA256SUMS has no checksum of $name, so nothing was changed."
  fi
  [ -n "$name" ] || die 'With --sha256, --from must name one file.'
  case $name in
    *-"$machine".tar.gz | *-"$machine") ;;
    *-linux-* | *-darwin-*) die "$name is for another machine; this one is $machine. Nothing was changed." ;;
  esac
  get "$name" 536870912
  actual=$(sha256sum "$work/$name") || die "$name could not be read; nothing was changed."
  [ "${actual%% *}" = "$sha256" ] || die "$name is damaged or is not the file that was released; nothing was changed." \
    "  expected checksum  $sha256" "  actual checksum    ${actual%% *}" 'Download it again. If they still differ, do not install it.'
  unpack
}

# Prints the name of the archive for this machine in SHA256SUMS.
find_for_machine() {
  found=$(sed -n "s/^[0-9a-f]\{64\} [ *]\(postern-[0-9A-Za-z.+-]*-${machine}[.]tar[.]gz\)\$/\1/p" "$work/SHA256SUMS" | tail -n 1)
  [ -n "$found" ] || die "${base}SHA256SUMS lists no archive for this machine ($machine), so nothing was changed."
  printf '%s' "$found"
}

# Gets the file $1 from `base` into the temporary folder: at most $2 bytes, so that no server fills the disk.
get() {
  case $base in
    https://*) download "$1" "$2" '=https' ;;
    # A tunnel or a test: a server on this machine needs no TLS.
    http://127.0.0.1[:/]* | http://localhost[:/]* | http://\[::1\][:/]*) download "$1" "$2" '=http,https' ;;
    *://*) die "The address must begin with https://, so that nobody can replace the release on the way, not $base" ;;
    *)
      [ -e "$base$1" ] || die "$base$1 does not exist. The archive and the SHA256SUMS of its release must be in the same folder."
      cp "$base$1" "$work/$1" || die "$base$1 could not be copied (see above); nothing was changed." \
        'If there is no room, set TMPDIR to a folder with 300 MB free.'
      ;;
  esac
}

# Downloads $base$1 into the temporary folder: at most $2 bytes, over the protocols $3.
download() {
  status=0 advice='Check the address and the network, and try again.'
  if command -v curl >/dev/null; then
    by_curl "$@" || status=$?
  elif command -v wget >/dev/null; then
    case $(wget --version 2>/dev/null) in
      'GNU Wget'*) by_wget "$@" || status=$? ;;
      *) by_plain_wget "$@" || status=$? ;;
    esac
  else
    die 'A download needs curl or wget:  apt-get install curl' 'Or download the release elsewhere and use --from FILE.'
  fi
  [ "$status" = 0 ] || die "$base$1 could not be downloaded (see above); nothing was changed." "$advice"
}

missing='The server does not have it: check the address and the version.'
no_room='There is no room for it: set TMPDIR to a folder with 300 MB free.'
too_large='The server sends far more than a release has: check the address.'
too_slow='The server is too slow or silent: try again later, or download it elsewhere and use --from FILE.'
not_trusted="The server's certificate is not trusted: check the address, the clock, and the package ca-certificates."

# Downloads with curl. It gives up on a server that sends less than 1 KB/s for 30 s.
by_curl() {
  got=0
  # ulimit, in blocks of 512 bytes, bounds the size even if the server announces no length.
  (ulimit -f $(($2 / 512)) && exec curl --proto "$3" --proto-redir "$3" --tlsv1.2 --fail --silent --show-error --location --max-redirs 5 \
    --connect-timeout 20 --speed-limit 1024 --speed-time 30 --retry 2 --max-filesize "$2" \
    --output "$work/$1" "$base$1") || got=$?
  case $got in
    22) advice=$missing ;;
    23) advice=$no_room ;;
    63 | 153) advice=$too_large ;;
    28) advice=$too_slow ;;
    35 | 51 | 58 | 60) advice=$not_trusted ;;
  esac
  return "$got"
}

# Downloads with GNU Wget, which would follow a redirect from https to http: so redirects are followed here. Half an hour
# is enough at 75 KB/s.
by_wget() {
  next=$base$1 redirects=0
  while :; do
    got=0
    (ulimit -f $(($2 / 512)) && exec timeout 1800 wget --no-config --no-hsts --no-verbose --server-response --max-redirect=0 --tries=3 \
      --timeout=30 --output-document="$work/$1" "$next" 2>"$work/answer") || got=$?
    [ "$got" != 0 ] || return 0
    location=$(sed -n 's/^ *[Ll]ocation: \([^ ]*\).*/\1/p' "$work/answer" | tail -n 1 | tr -d '\r')
    host=${next#*://}
    case $location in /*) location=${next%%://*}://${host%%/*}$location ;; esac
    redirects=$((redirects + 1))
    # To http only from a tunnel or a test, where the first address was http too.
    case $3,$location in
      =https,https://* | =http,https,http://* | =http,https,https://*) next=$location ;;
      *) break ;;
    esac
    [ "$redirects" -le 5 ] || break
  done
  cat "$work/answer" >&2
  case $got in
    3) advice=$no_room ;;
    4 | 124) advice=$too_slow ;;
    5) advice=$not_trusted ;;
    8) advice=$missing ;;
    153) advice=$too_large ;;
  esac
  return "$got"
}

# Downloads with another wget, such as BusyBox's, which may not check certificates. With --sha256 that does not matter.
by_plain_wget() {
  case $3$given_sum in
    =https) die 'This wget may not check certificates, so nothing was downloaded. Install curl, or give the checksum of the file with --sha256.' ;;
  esac
  got=0
  # Without -T, with which BusyBox 1.35 crashes.
  (ulimit -f $(($2 / 512)) && exec timeout 1800 wget -q -O "$work/$1" "$base$1") || got=$?
  case $got in 153) advice=$too_large ;; esac
  return "$got"
}

# Unpacks the download and enters its folder. A release archive has one folder with the executable and this script; any
# other file is a bare executable.
unpack() {
  case $name in
    *.tar.gz | *.tgz)
      mkdir "$work/unpacked"
      tar -xzf "$work/$name" -C "$work/unpacked" --no-same-owner --strip-components=1 ||
        die "$name could not be unpacked (see above); nothing was changed." 'If there is no room, set TMPDIR to a folder with 300 MB free.'
      cd "$work/unpacked"
      executable=./postern
      # Not -x, which is false for every file where the file system is mounted noexec.
      if [ ! -f "$executable" ] || [ ! -e systemd/postern.service ]; then
        die "$name is not a Postern release: it lacks the executable or the unit."
      fi
      ;;
    *)
      [ -e "$unit" ] || die "A first install needs the archive of a release, which also has the systemd unit. $name is only the executable."
      mkdir "$work/bare"
      mv "$work/$name" "$work/bare/postern"
      cd "$work/bare"
      chmod 755 postern
      executable=./postern
      ;;
  esac
}

# Checks --domain before anything is changed: with an invalid one the service would not start, and the settings are
# written only once.
check_domain() {
  [ -n "$domain" ] || return 0
  "$executable" config --mail-domain "$domain" >/dev/null || die "--domain $domain is not a valid mail domain; the line above says why."
  [ ! -e "$settings" ] || printf '%s already exists and was not changed by --domain. Set POSTERN_MAIL_DOMAIN there.\n' "$settings" >&2
}

# Sets `data` to the folder in the settings, because the administrator may have moved it.
find_data() {
  [ -z "$root" ] && [ -e "$settings" ] || return 0
  moved=$(sed -n 's/^POSTERN_DATA_DIR=//p' "$settings" | tail -n 1 | tr -d "\"'")
  [ -z "$moved" ] || data=$moved
}

create_user() {
  [ -z "$root" ] || return 0
  if ! getent group postern >/dev/null; then groupadd --system postern; fi
  if ! getent passwd postern >/dev/null; then
    useradd --system --gid postern --home-dir /var/lib/postern --no-create-home --shell /usr/sbin/nologin postern
  fi
}

# Copies the file $2, with mode $1, beside its destination $3.
stage() {
  mode=$1 source=$2 to=$3
  { mkdir -p "$(dirname "$to")" && rm -rf "$to.new" && cp "$source" "$to.new" && chmod "$mode" "$to.new"; } || refuse_place "$to"
}

refuse_place() {
  die "$1 could not be written (see above), so nothing was changed, and the running version keeps running." \
    'Is the disk full, or the file system read-only? When that is fixed, run install.sh again.'
}

stage_units() {
  stage 0644 systemd/postern.service "$unit"
  stage 0644 systemd/postern-backup.service "$backup_service"
  stage 0644 systemd/postern-backup.timer "$backup_timer"
}

stage_documents() {
  rm -rf "$doc.new"
  for name in $documents; do
    [ -e "$name" ] || continue
    { mkdir -p "$doc.new/$(dirname "$name")" && cp -R "$name" "$doc.new/$name"; } || refuse_place "$doc"
  done
  [ ! -d "$doc.new" ] || chmod -R u=rwX,go=rX "$doc.new"
}

# Puts the new names on the disk. The version that has them may change the store as soon as it runs.
flush_names() {
  for file in "$bin" "$unit" "$settings"; do
    sync "$(dirname "$file")" || true
  done
}

# Renames the copies into place, so that no file is ever half written. The old version keeps running, and starts its
# parsers from its own file. Whenever this script is killed or the power fails, systemd has a whole version to start.
swap() {
  for file in "$bin" "$unit" "$backup_service" "$backup_timer" "$settings"; do
    # Otherwise a power cut could leave an empty file under the name.
    [ ! -e "$file.new" ] || sync "$file.new" || refuse_place "$file"
  done
  for file in "$bin" "$unit" "$backup_service" "$backup_timer" "$settings"; do
    [ ! -e "$file.new" ] || mv -f "$file.new" "$file"
  done
  [ ! -d "$doc.new" ] || { rm -rf "$doc" && mv "$doc.new" "$doc"; }
  flush_names
}

# Removes the download and unfinished copies, on any exit.
work=''
# shellcheck disable=SC2317 # A trap calls it.
leave() {
  [ -z "$work" ] || rm -rf "$work"
  rm -rf "$bin.new" "$unit.new" "$backup_service.new" "$backup_timer.new" "$doc.new" "$settings.new"
}

make_backup_folder() {
  mkdir -p "$backups"
  chmod 0700 "$backups"
  [ -n "$root" ] || chown root:root "$backups"
}

# Backs the store up before anything is changed, while the old version runs. The new version does it, because the old one
# may not be able to.
back_up() {
  backup=''
  [ -z "$root" ] && [ -e "$data/postern.db" ] || return 0
  make_backup_folder
  backup=$backups/before-upgrade.db
  # The one from before the upgrade may be the only one that the older version can open.
  [ -z "$older" ] || backup=$backups/before-downgrade.db
  # A version that never became ready may have migrated the store, and then the previous one can't open a later backup.
  [ ! -e "$bin.unproven" ] || [ ! -e "$backup" ] || [ -e "$interrupted" ] || mv "$backup" "$interrupted"
  "$executable" backup "$backup" --data-dir "$data" >/dev/null ||
    die 'The store could not be backed up, so nothing was changed; the line above says why.'
  # Earlier versions kept the backup in the data folder.
  rm -rf "$data/before-upgrade.db"
}

# Keeps the installed version as the previous one, unless it never became ready because an upgrade was interrupted.
keep_previous() {
  [ ! -e "$bin.unproven" ] || return 0
  for file in "$bin" "$unit"; do
    rm -f "$file.previous"
    [ ! -e "$file" ] || ln "$file" "$file.previous"
  done
  # With DESTDIR nothing is started, so there is nothing to prove.
  [ -n "$root" ] || : >"$bin.unproven"
}

# Copies all files beside their destinations while the old version runs, so that a full disk changes nothing.
stage_files() {
  if [ ! -d "$data" ]; then
    mkdir -p "$data"
    chmod 0700 "$data"
    [ -n "$root" ] || chown postern:postern "$data"
  fi
  stage 0755 "$executable" "$bin"
  # A bare executable comes without units, so the installed ones stay.
  if [ -d systemd ] || [ -z "$from" ]; then stage_units; fi
  make_backup_folder
  stage_documents
  # Settings belong to the administrator and are never replaced. They may contain secrets.
  if [ ! -e "$settings" ]; then
    stage 0640 systemd/postern.env "$settings"
    [ -z "$domain" ] || printf '\nPOSTERN_MAIL_DOMAIN=%s\nPOSTERN_SMTP_LISTEN=0.0.0.0:25\n' "$domain" >>"$settings.new"
    if [ -z "$root" ]; then chgrp postern "$settings.new"; fi
  elif [ -z "$root" ]; then
    chgrp postern "$settings"
  fi
}

# Restarts the service, and returns when it accepts mail (the unit has Type=notify). Fails if it does not, or stops at once.
# It is a restart, and not a stop and a start, because systemd completes it even if this script is killed. Mail in transfer
# is finished, or sent again by its sender; nothing acknowledged is lost.
restart_service() {
  systemctl daemon-reload
  systemctl enable --quiet postern.service
  # The backup is new, so the server need not copy the store before a migration. With a million messages, that copy would
  # keep it down for 20 s instead of 2.
  [ -z "$backup" ] || systemctl set-environment POSTERN_MIGRATION_COPY=off
  started=0
  systemctl restart postern.service || started=1
  systemctl unset-environment POSTERN_MIGRATION_COPY
  [ "$started" = 0 ] || return 1
  sleep 1
  systemctl is-active --quiet postern.service || return 1
  rm -f "$interrupted" "$bin.unproven"
}

show_log() {
  journalctl --unit postern.service --lines 15 --no-pager >&2 2>/dev/null || true
}

# Starts the previous version on the current store, or on the backup if the store is too new for it. Signals are ignored:
# until it ends, no version may be running.
roll_back() {
  trap '' INT TERM
  # By links, so that the next run still finds the previous version if this one is killed here.
  for file in "$bin" "$unit"; do
    [ ! -e "$file.previous" ] || { ln -f "$file.previous" "$file.new" && mv -f "$file.new" "$file"; }
  done
  flush_names
  if restart_service; then return 0; fi
  [ -n "$backup" ] || return 1
  systemctl stop postern.service || true
  if "$executable" restore "$backup" --data-dir "$data" >&2; then
    restart_service
  else
    systemctl start postern.service || true
    return 1
  fi
}

# Restarts the service, and rolls back if that fails. Runs in a subshell, which finishes even if this script is killed.
restart_or_roll_back() {
  [ -z "$root" ] || return 0
  trap 'exit 1' INT TERM
  if restart_service; then return 0; fi
  show_log
  back=''
  [ -e "$bin.previous" ] || die '' 'Postern was installed but did not start; the lines above say why.' \
    "Settings: $settings. Then: systemctl restart postern"
  if roll_back; then
    [ -z "$older" ] || back='To go back to an older store, and lose the mail since then: systemctl stop postern; '\
"postern restore $backups/before-upgrade.db --data-dir $data; then run this again."
    die '' "$version did not become ready; the lines above say why. The previous version is running again: $("$bin" version)." \
      "Backup from before the upgrade: ${backup:-none}" ${back:+"$back"}
  fi
  show_log
  earlier=''
  [ ! -e "$interrupted" ] ||
    earlier="If the previous version can't open that one: $interrupted, from before an upgrade that was interrupted."
  die '' "$version did not become ready, and neither did the previous version; the lines above say why." \
    "Backup from before the upgrade: ${backup:-none} (postern restore)." ${earlier:+"$earlier"} \
    "Settings: $settings. Then: systemctl restart postern"
}

create_account() {
  [ -z "$root" ] && [ -n "$email" ] || return 0
  accounts=$("$bin" account list --json --data-dir "$data")
  if [ "$accounts" != '[]' ]; then
    printf 'An account already exists; none was created for %s.\n' "$email"
    return 0
  fi
  "$bin" account create --email "$email" --data-dir "$data"
}

install_or_upgrade() {
  # A broken connection must not leave a half-finished installation.
  trap '' HUP
  trap 'exit 1' INT TERM
  trap leave EXIT
  lock
  find_executable
  refuse_older
  check_domain
  find_data
  done=Installed
  [ ! -e "$bin" ] || done=Upgraded
  back_up
  create_user
  stage_files
  [ "$done" = Installed ] || keep_previous
  swap
  (restart_or_roll_back)
  printf '%s: %s\n' "$done" "$version"
  create_account
  if [ "$done" = Installed ]; then print_next_steps; else printf 'Backup from before the upgrade: %s\n' "${backup:-none}"; fi
}

print_next_steps() {
  # Some systems' sudo does not look in /usr/local/bin.
  command=postern
  command -v postern >/dev/null || command=$bin
  name=${domain:-mail.example.com}
  printf '\nPublish these DNS records, so that mail arrives here:\n'
  printf '  mx.%s.  A    <the public address of this machine>\n' "$name"
  printf '  %s.  MX   10 mx.%s.\n' "$name" "$name"
  printf '  %s.  TXT  "v=spf1 -all"     (until you send mail)\n' "$name"
  printf 'and, for the dashboard and the API over https, if no website has that name:\n'
  printf '  %s.  A    <the public address of this machine>\n' "$name"
  printf '\nThen, step by step in %s/docs/operations.md:\n' "$doc"
  [ -n "$domain" ] || printf '  set the mail domain and the addresses to listen on:  %s ; systemctl restart postern\n' "$settings"
  [ -n "$email" ] || printf '  create the first account:  %s account create --email you@example.com --data-dir %s\n' "$command" "$data"
  printf '  turn on https and a trusted certificate (ports 80 and 443 must be open):  POSTERN_ACME=on in %s\n' "$settings"
  printf '  check what is still missing:  %s doctor --data-dir %s\n' "$command" "$data"
  printf '  sign in to the dashboard with the link in the log:  journalctl -u postern -o cat | grep /setup/\n'
}

# Removes only the user that install.sh created, which has this home folder: another one of that name may be a person.
remove_user() {
  [ -z "$root" ] || return 0
  case $(getent passwd postern) in *:/var/lib/postern:*) userdel postern ;; *) return 0 ;; esac
  if getent group postern >/dev/null; then groupdel postern; fi
}

uninstall() {
  lock
  find_data
  if [ -z "$root" ]; then
    systemctl disable --quiet --now postern-backup.timer 2>/dev/null || true
    systemctl disable --quiet --now postern.service 2>/dev/null || true
  fi
  rm -f "$bin" "$bin.previous" "$bin.unproven" "$unit" "$unit.previous" "$backup_service" "$backup_timer"
  rm -rf "$doc"
  if [ -z "$root" ]; then systemctl daemon-reload; fi
  if [ -z "$purge" ]; then
    printf 'Uninstalled. Kept: %s and the mail in %s (--uninstall --purge removes them).\n' "$settings" "$data"
    return 0
  fi
  rm -rf "$root/etc/postern" "$root/var/lib/postern"
  rm -f "$backups/before-upgrade.db" "$backups/before-downgrade.db" "$interrupted"
  rmdir "$backups" 2>/dev/null || true
  remove_user
  [ ! -e "$backups" ] || printf 'Not removed: the backups in %s\n' "$backups"
  printf 'Uninstalled, including its settings and %s.\n' "$root/var/lib/postern"
  # A folder that the administrator chose may contain other things too.
  [ ! -e "$data" ] || printf 'Not removed, because it may contain other files: %s\n' "$data"
}

# Enters the script's own folder. Through a pipe it has none, and uses nothing from the folder where it was started.
enter_own_folder() {
  [ -z "$from" ] || return 0
  case $0 in
    install.sh | */install.sh) CDPATH='' cd -- "$(dirname -- "$0")" ;;
    *) [ "$action" = uninstall ] || die 'From a pipe, install.sh needs --from URL:  curl … | sh -s -- --from URL' ;;
  esac
}

main() {
  read_arguments "$@"
  check_machine
  enter_own_folder
  if [ "$action" = uninstall ]; then uninstall; else install_or_upgrade; fi
}

{ main "$@"; exit; }
