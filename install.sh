#!/bin/sh
# Installs Postern on a Linux machine with systemd, from a release folder (which holds the executable
# `postern`) or from a source checkout (which builds it). Run it again to upgrade: settings and mail stay, a
# backup is made first, and a version that does not become ready is taken back.
#
#   sh install.sh [--domain mail.example.com] [--email you@example.com]
#                             install, or upgrade. The first time: --domain sets the mail domain and listens on
#                             port 25, --email makes the first account and prints its API key
#   sh install.sh --uninstall [--purge]
#                             take it off again; settings and mail stay, unless --purge
#   DESTDIR=/some/dir sh install.sh
#                             only lay the files under that folder (for packagers, and for tests)
set -eu
# What is laid down is for all to read, whoever types this; what is not, is closed by name.
umask 022
root=${DESTDIR-}
case $root in '' | /*) ;; *) root=$PWD/$root ;; esac
CDPATH='' cd -- "$(dirname -- "$0")"

bin=$root/usr/local/bin/postern
settings=$root/etc/postern/postern.env
unit=$root/etc/systemd/system/postern.service
doc=$root/usr/local/share/doc/postern
data=$root/var/lib/postern
# Root's own: what is in the data folder, the service's user may replace by a link.
backups=$root/var/backups/postern

die() {
  printf '%s\n' "$@" >&2
  exit 1
}

usage() {
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' ./install.sh
}

read_arguments() {
  action=install domain='' email='' purge=''
  while [ $# -gt 0 ]; do
    case $1 in
      --domain | --email)
        case ${2--} in -*) die "$1 needs a value" ;; esac
        if [ "$1" = --domain ]; then domain=$2; else email=$2; fi
        shift
        ;;
      --uninstall) action=uninstall ;;
      --purge) purge=yes ;;
      --help | -h) usage && exit 0 ;;
      *) die "install.sh knows no $1" "$(usage)" ;;
    esac
    shift
  done
  [ -z "$purge" ] || [ "$action" = uninstall ] || die '--purge goes with --uninstall: it removes the settings and all mail.'
  # They go into a file of settings and onto a command line.
  case $domain$email in *[!A-Za-z0-9.@_+-]*) die 'That is no domain, or no email address.' ;; esac
}

check_machine() {
  [ "$(uname -s)" = Linux ] || die "install.sh is for Linux; this is $(uname -s). For a try: scripts/start"
  [ -z "$root" ] || return 0
  [ "$(id -u)" = 0 ] || die 'install.sh makes a system user and a service, so it must run as root:' '  sudo sh install.sh'
  command -v systemctl >/dev/null || die 'There is no systemd on this machine.' \
    'Start the executable by your own service manager instead:  postern serve  (systemd/postern.service shows how).'
}

# Sets executable and version. A release folder has the executable beside this script.
find_executable() {
  if [ -x ./postern ]; then
    executable=./postern
  else
    [ -x scripts/build ] || die 'Neither the executable nor the sources are beside install.sh: take the whole release folder.'
    scripts/build
    executable=dist/postern
  fi
  # It must run here before anything is changed: a wrong machine's build would take a working service down.
  version=$("$executable" version) || die "$executable does not run on this machine ($(uname -m)). Take the release for it."
}

# Before anything is changed: a service with such a domain would not start, and its settings are not written again.
check_domain() {
  [ -n "$domain" ] || return 0
  "$executable" config --mail-domain "$domain" >/dev/null || die "--domain $domain: that is no mail domain; the line above says why."
  [ ! -e "$settings" ] || printf '%s is there and is yours: --domain changes nothing in it. Set POSTERN_MAIL_DOMAIN there.\n' "$settings" >&2
}

# The administrator may have moved it.
find_data() {
  [ -z "$root" ] && [ -e "$settings" ] || return 0
  moved=$(sed -n 's/^POSTERN_DATA_DIR=//p' "$settings" | tail -n 1 | tr -d "\"'")
  [ -z "$moved" ] || data=$moved
}

make_user() {
  [ -z "$root" ] || return 0
  if ! getent group postern >/dev/null; then groupadd --system postern; fi
  if ! getent passwd postern >/dev/null; then
    useradd --system --gid postern --home-dir /var/lib/postern --no-create-home --shell /usr/sbin/nologin postern
  fi
}

# Brings a file beside its place.
bring() {
  mode=$1 from=$2 to=$3
  mkdir -p "$(dirname "$to")"
  rm -rf "$to.new"
  cp "$from" "$to.new"
  chmod "$mode" "$to.new"
}

# The pages that README.md links to.
bring_docs() {
  mkdir -p "$doc"
  rm -rf "$doc/docs.new"
  cp -R docs "$doc/docs.new"
  chmod -R u=rwX,go=rX "$doc/docs.new"
}

# Puts what was brought in its place, in one step each, so that no half of a file is ever there.
swap() {
  for file in "$bin" "$unit" "$doc/README.md" "$settings"; do
    [ ! -e "$file.new" ] || mv -f "$file.new" "$file"
  done
  [ ! -d "$doc/docs.new" ] || { rm -rf "$doc/docs" && mv "$doc/docs.new" "$doc/docs"; }
}

# However this ends: no half copies, and what was stopped runs again.
is_down=''
leave() {
  rm -rf "$bin.new" "$unit.new" "$doc/README.md.new" "$doc/docs.new" "$settings.new"
  [ -z "$is_down" ] || systemctl start postern.service || true
}

# Mail under way is finished or sent again by its sender; nothing acknowledged is lost. One that is about to be started
# again must be stopped too.
stop_service() {
  [ -z "$root" ] && [ -e "$unit" ] || return 0
  if systemctl is-active --quiet postern.service; then is_down=yes; fi
  systemctl stop postern.service
}

# Before anything is changed, while the old version serves. The new one makes it: the old one may not know how.
back_up() {
  backup=''
  [ -z "$root" ] && [ -e "$data/postern.db" ] || return 0
  mkdir -p "$backups"
  chown root:root "$backups"
  chmod 0700 "$backups"
  backup=$backups/before-upgrade.db
  "$executable" backup "$backup" --data-dir "$data" >/dev/null ||
    die 'The store could not be backed up, so nothing was changed; the line above says why.'
  # Earlier versions put it there.
  rm -rf "$data/before-upgrade.db"
}

# What an upgrade that was cut off has put in place was never seen to run: what was there before it stays the previous.
keep_previous() {
  [ ! -e "$bin.unproven" ] || return 0
  for file in "$bin" "$unit"; do
    rm -f "$file.previous"
    [ ! -e "$file" ] || ln "$file" "$file.previous"
  done
  # Nothing is started in a folder that is only laid out.
  [ -n "$root" ] || : >"$bin.unproven"
}

# While the old version serves: a disk that is full is seen before anything was changed.
bring_files() {
  if [ ! -d "$data" ]; then
    mkdir -p "$data"
    chmod 0700 "$data"
    [ -n "$root" ] || chown postern:postern "$data"
  fi
  bring 0755 "$executable" "$bin"
  bring 0644 systemd/postern.service "$unit"
  [ ! -e README.md ] || bring 0644 README.md "$doc/README.md"
  [ ! -d docs ] || bring_docs
  # Settings are the administrator's: never replaced. They may hold secrets.
  if [ ! -e "$settings" ]; then
    bring 0640 systemd/postern.env "$settings"
    [ -z "$domain" ] || printf '\nPOSTERN_MAIL_DOMAIN=%s\nPOSTERN_SMTP_LISTEN=0.0.0.0:25\n' "$domain" >>"$settings.new"
    if [ -z "$root" ]; then chgrp postern "$settings.new"; fi
  elif [ -z "$root" ]; then
    chgrp postern "$settings"
  fi
}

# Returns when it takes mail (the unit is of Type=notify), and fails when it does not come so far, or falls at once.
start_service() {
  systemctl daemon-reload
  systemctl enable --quiet postern.service
  systemctl start postern.service || return 1
  sleep 1
  systemctl is-active --quiet postern.service || return 1
  rm -f "$bin.unproven"
}

show_log() {
  journalctl --unit postern.service --lines 15 --no-pager >&2 2>/dev/null || true
}

# The version before, on the store as it is; and, when that is too new for it, on the store as it was.
take_back() {
  systemctl stop postern.service || true
  for file in "$bin" "$unit"; do
    [ ! -e "$file.previous" ] || mv -f "$file.previous" "$file"
  done
  if start_service; then return 0; fi
  [ -n "$backup" ] || return 1
  systemctl stop postern.service || true
  "$executable" restore "$backup" --data-dir "$data" >&2 || return 1
  start_service
}

start_or_take_back() {
  [ -z "$root" ] || return 0
  is_down=''
  if start_service; then return 0; fi
  show_log
  [ -e "$bin.previous" ] || die '' 'Postern was installed but did not start; the lines above say why.' \
    "Settings: $settings. Then: systemctl restart postern"
  if take_back; then
    die '' "$version did not become ready; the lines above say why. The version before runs again: $("$bin" version)." \
      "The backup that was made first: ${backup:-none}"
  fi
  show_log
  die '' "$version did not become ready, and neither did the version before; the lines above say why." \
    "The backup that was made first: ${backup:-none} (postern restore)." "Settings: $settings. Then: systemctl restart postern"
}

make_account() {
  [ -z "$root" ] && [ -n "$email" ] || return 0
  accounts=$("$bin" account list --json --data-dir "$data")
  if [ "$accounts" != '[]' ]; then
    printf 'There is an account already; %s was not made one.\n' "$email"
    return 0
  fi
  "$bin" account create --email "$email" --data-dir "$data"
}

install_or_upgrade() {
  find_executable
  check_domain
  find_data
  done=Installed
  [ ! -e "$bin" ] || done=Upgraded
  back_up
  # A connection that breaks must not leave it half done.
  trap '' HUP
  trap 'exit 1' INT TERM
  trap leave EXIT
  make_user
  bring_files
  stop_service
  [ "$done" = Installed ] || keep_previous
  swap
  start_or_take_back
  printf '%s: %s\n' "$done" "$version"
  make_account
  if [ "$done" = Installed ]; then tell_next; else printf 'The backup that was made first: %s\n' "${backup:-none}"; fi
}

tell_next() {
  name=${domain:-mail.example.com}
  printf '\nPublish in the DNS, so that mail finds the way:\n'
  printf '  %s.  MX   10 mx.%s.\n' "$name" "$name"
  printf '  mx.%s.  A    <the public address of this machine>\n' "$name"
  printf '  %s.  TXT  "v=spf1 -all"     (while nothing is sent)\n' "$name"
  printf '\nThen:\n'
  [ -n "$domain" ] || printf '  set the mail domain and the addresses to listen on:  %s ; systemctl restart postern\n' "$settings"
  [ -n "$email" ] || printf '  make the first account:  postern account create --email you@example.com --data-dir %s\n' "$data"
  printf '  see what is still missing:  postern doctor --data-dir %s\n' "$data"
}

# The one that was made here, by its home; another of that name may be a person.
remove_user() {
  [ -z "$root" ] || return 0
  case $(getent passwd postern) in *:/var/lib/postern:*) userdel postern ;; *) return 0 ;; esac
  if getent group postern >/dev/null; then groupdel postern; fi
}

uninstall() {
  find_data
  if [ -z "$root" ]; then
    systemctl disable --quiet --now postern.service 2>/dev/null || true
  fi
  rm -f "$bin" "$bin.previous" "$bin.unproven" "$unit" "$unit.previous" "$doc/README.md"
  rm -rf "$doc/docs"
  rmdir "$doc" 2>/dev/null || true
  if [ -z "$root" ]; then systemctl daemon-reload; fi
  if [ -z "$purge" ]; then
    printf 'Uninstalled. Left as they are: %s and the mail in %s (--uninstall --purge removes them).\n' "$settings" "$data"
    return 0
  fi
  rm -rf "$root/etc/postern" "$root/var/lib/postern"
  rm -f "$backups/before-upgrade.db"
  rmdir "$backups" 2>/dev/null || true
  remove_user
  printf 'Uninstalled, with its settings and %s.\n' "$root/var/lib/postern"
  # A folder that somebody chose may hold other things too.
  [ ! -e "$data" ] || printf 'Left as it is, for you to remove: %s\n' "$data"
}

read_arguments "$@"
check_machine
if [ "$action" = uninstall ]; then uninstall; else install_or_upgrade; fi
