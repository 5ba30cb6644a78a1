#!/bin/sh
# Installs Postern on a Linux machine with systemd, from a release folder (which contains the executable
# `postern`) or from a source checkout (which builds it). Run it again to upgrade: it keeps settings and mail,
# makes a backup first, and rolls back a version that does not start.
#
#   sh install.sh [--domain mail.example.com] [--email you@example.com]
#                             install or upgrade. On the first install, --domain sets the mail domain and listens on
#                             port 25, --email creates the first account and prints its API key
#   sh install.sh --uninstall [--purge]
#                             uninstall; keeps settings and mail unless --purge is given
#   DESTDIR=/some/dir sh install.sh
#                             only copy the files into that folder (for packagers and tests)
set -eu
# Installed files are readable by everyone, whoever runs this; private ones get their mode explicitly.
umask 022
root=${DESTDIR-}
case $root in '' | /*) ;; *) root=$PWD/$root ;; esac
CDPATH='' cd -- "$(dirname -- "$0")"

bin=$root/usr/local/bin/postern
settings=$root/etc/postern/postern.env
unit=$root/etc/systemd/system/postern.service
# A nightly backup; the administrator turns the timer on.
backup_service=$root/etc/systemd/system/postern-backup.service
backup_timer=$root/etc/systemd/system/postern-backup.timer
doc=$root/usr/local/share/doc/postern
data=$root/var/lib/postern
# Root's own folder: in the data folder, the service's user could replace a file with a link.
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
      *) die "unknown argument: $1" "$(usage)" ;;
    esac
    shift
  done
  [ -z "$purge" ] || [ "$action" = uninstall ] || die '--purge goes with --uninstall: it removes the settings and all mail.'
  # They go into the settings file and onto a command line.
  case $domain$email in *[!A-Za-z0-9.@_+-]*) die '--domain or --email has an invalid value.' ;; esac
}

check_machine() {
  [ "$(uname -s)" = Linux ] || die "install.sh supports only Linux; this is $(uname -s). To try Postern here: scripts/start"
  [ -z "$root" ] || return 0
  [ "$(id -u)" = 0 ] || die 'install.sh creates a system user and a service, so it must run as root:' '  sudo sh install.sh'
  command -v systemctl >/dev/null || die 'This machine has no systemd.' \
    'Start the executable with your own service manager instead:  postern serve  (systemd/postern.service shows how).'
}

# Sets executable and version. A release folder has the executable beside this script.
find_executable() {
  if [ -x ./postern ]; then
    executable=./postern
  else
    [ -x scripts/build ] || die 'Neither the executable nor the sources are next to install.sh: use the whole release folder.'
    scripts/build
    executable=dist/postern
  fi
  # Checked before anything changes: a build for another machine would take down a working service.
  version=$("$executable" version) || die "$executable does not run on this machine ($(uname -m)). Use the release for this machine."
}

# Checked before anything changes: with an invalid domain the service would not start, and settings are written only once.
check_domain() {
  [ -n "$domain" ] || return 0
  "$executable" config --mail-domain "$domain" >/dev/null || die "--domain $domain is not a valid mail domain; the line above says why."
  [ ! -e "$settings" ] || printf '%s already exists and was not changed by --domain. Set POSTERN_MAIL_DOMAIN there.\n' "$settings" >&2
}

# The administrator may have moved the data folder.
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

# Copies a file next to its destination.
stage() {
  mode=$1 from=$2 to=$3
  mkdir -p "$(dirname "$to")"
  rm -rf "$to.new"
  cp "$from" "$to.new"
  chmod "$mode" "$to.new"
}

# The pages that README.md links to.
stage_docs() {
  mkdir -p "$doc"
  rm -rf "$doc/docs.new"
  cp -R docs "$doc/docs.new"
  chmod -R u=rwX,go=rX "$doc/docs.new"
}

# Renames the copies into place, so that no file is ever half written.
swap() {
  for file in "$bin" "$unit" "$backup_service" "$backup_timer" "$doc/README.md" "$settings"; do
    [ ! -e "$file.new" ] || mv -f "$file.new" "$file"
  done
  [ ! -d "$doc/docs.new" ] || { rm -rf "$doc/docs" && mv "$doc/docs.new" "$doc/docs"; }
}

# On any exit: removes unfinished copies, and restarts a stopped service.
is_down=''
leave() {
  rm -rf "$bin.new" "$unit.new" "$backup_service.new" "$backup_timer.new" "$doc/README.md.new" "$doc/docs.new" "$settings.new"
  [ -z "$is_down" ] || systemctl start postern.service || true
}

# Mail in transfer is finished, or sent again by its sender; nothing acknowledged is lost. A service that systemd is
# about to restart must be stopped too.
stop_service() {
  [ -z "$root" ] && [ -e "$unit" ] || return 0
  if systemctl is-active --quiet postern.service; then is_down=yes; fi
  systemctl stop postern.service
}

make_backup_folder() {
  mkdir -p "$backups"
  chmod 0700 "$backups"
  [ -n "$root" ] || chown root:root "$backups"
}

# Before anything changes, while the old version runs. The new version makes the backup: the old one may be unable to.
back_up() {
  backup=''
  [ -z "$root" ] && [ -e "$data/postern.db" ] || return 0
  make_backup_folder
  backup=$backups/before-upgrade.db
  "$executable" backup "$backup" --data-dir "$data" >/dev/null ||
    die 'The store could not be backed up, so nothing was changed; the line above says why.'
  # Earlier versions kept the backup there.
  rm -rf "$data/before-upgrade.db"
}

# An interrupted upgrade installed a version that never ran: the one before it remains the previous version.
keep_previous() {
  [ ! -e "$bin.unproven" ] || return 0
  for file in "$bin" "$unit"; do
    rm -f "$file.previous"
    [ ! -e "$file" ] || ln "$file" "$file.previous"
  done
  # With DESTDIR nothing is started.
  [ -n "$root" ] || : >"$bin.unproven"
}

# While the old version runs: a full disk is noticed before anything changes.
stage_files() {
  if [ ! -d "$data" ]; then
    mkdir -p "$data"
    chmod 0700 "$data"
    [ -n "$root" ] || chown postern:postern "$data"
  fi
  stage 0755 "$executable" "$bin"
  stage 0644 systemd/postern.service "$unit"
  stage 0644 systemd/postern-backup.service "$backup_service"
  stage 0644 systemd/postern-backup.timer "$backup_timer"
  make_backup_folder
  [ ! -e README.md ] || stage 0644 README.md "$doc/README.md"
  [ ! -d docs ] || stage_docs
  # Settings belong to the administrator and are never replaced. They may contain secrets.
  if [ ! -e "$settings" ]; then
    stage 0640 systemd/postern.env "$settings"
    [ -z "$domain" ] || printf '\nPOSTERN_MAIL_DOMAIN=%s\nPOSTERN_SMTP_LISTEN=0.0.0.0:25\n' "$domain" >>"$settings.new"
    if [ -z "$root" ]; then chgrp postern "$settings.new"; fi
  elif [ -z "$root" ]; then
    chgrp postern "$settings"
  fi
}

# Returns when the service accepts mail (the unit has Type=notify); fails when it does not get there or stops at once.
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

# Starts the previous version on the current store, or on the backup if the store is too new for it.
roll_back() {
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

start_or_roll_back() {
  [ -z "$root" ] || return 0
  is_down=''
  if start_service; then return 0; fi
  show_log
  [ -e "$bin.previous" ] || die '' 'Postern was installed but did not start; the lines above say why.' \
    "Settings: $settings. Then: systemctl restart postern"
  if roll_back; then
    die '' "$version did not become ready; the lines above say why. The previous version is running again: $("$bin" version)." \
      "Backup from before the upgrade: ${backup:-none}"
  fi
  show_log
  die '' "$version did not become ready, and neither did the previous version; the lines above say why." \
    "Backup from before the upgrade: ${backup:-none} (postern restore)." "Settings: $settings. Then: systemctl restart postern"
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
  find_executable
  check_domain
  find_data
  done=Installed
  [ ! -e "$bin" ] || done=Upgraded
  back_up
  # A broken connection must not leave a half-finished installation.
  trap '' HUP
  trap 'exit 1' INT TERM
  trap leave EXIT
  create_user
  stage_files
  stop_service
  [ "$done" = Installed ] || keep_previous
  swap
  start_or_roll_back
  printf '%s: %s\n' "$done" "$version"
  create_account
  if [ "$done" = Installed ]; then print_next_steps; else printf 'Backup from before the upgrade: %s\n' "${backup:-none}"; fi
}

print_next_steps() {
  name=${domain:-mail.example.com}
  printf '\nPublish these DNS records, so that mail arrives here:\n'
  printf '  %s.  MX   10 mx.%s.\n' "$name" "$name"
  printf '  mx.%s.  A    <the public address of this machine>\n' "$name"
  printf '  %s.  TXT  "v=spf1 -all"     (as long as you do not send)\n' "$name"
  printf '\nThen:\n'
  [ -n "$domain" ] || printf '  set the mail domain and the addresses to listen on:  %s ; systemctl restart postern\n' "$settings"
  [ -n "$email" ] || printf '  create the first account:  postern account create --email you@example.com --data-dir %s\n' "$data"
  printf '  get a trusted certificate (port 80 must be open):  POSTERN_ACME=on in %s ; see %s/docs/server.md\n' "$settings" "$doc"
  printf '  check what is still missing:  postern doctor --data-dir %s\n' "$data"
}

# Only the user created here, recognised by its home folder; another of that name may be a person.
remove_user() {
  [ -z "$root" ] || return 0
  case $(getent passwd postern) in *:/var/lib/postern:*) userdel postern ;; *) return 0 ;; esac
  if getent group postern >/dev/null; then groupdel postern; fi
}

uninstall() {
  find_data
  if [ -z "$root" ]; then
    systemctl disable --quiet --now postern-backup.timer 2>/dev/null || true
    systemctl disable --quiet --now postern.service 2>/dev/null || true
  fi
  rm -f "$bin" "$bin.previous" "$bin.unproven" "$unit" "$unit.previous" "$backup_service" "$backup_timer" "$doc/README.md"
  rm -rf "$doc/docs"
  rmdir "$doc" 2>/dev/null || true
  if [ -z "$root" ]; then systemctl daemon-reload; fi
  if [ -z "$purge" ]; then
    printf 'Uninstalled. Kept: %s and the mail in %s (--uninstall --purge removes them).\n' "$settings" "$data"
    return 0
  fi
  rm -rf "$root/etc/postern" "$root/var/lib/postern"
  rm -f "$backups/before-upgrade.db"
  rmdir "$backups" 2>/dev/null || true
  remove_user
  [ ! -e "$backups" ] || printf 'Not removed: the backups in %s\n' "$backups"
  printf 'Uninstalled, including its settings and %s.\n' "$root/var/lib/postern"
  # A folder that the administrator chose may contain other things too.
  [ ! -e "$data" ] || printf 'Not removed, because it may contain other files: %s\n' "$data"
}

read_arguments "$@"
check_machine
if [ "$action" = uninstall ]; then uninstall; else install_or_upgrade; fi
