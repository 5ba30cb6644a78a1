#!/bin/sh
# Installs Postern on a Linux machine with systemd, from a release folder (which holds the executable
# `postern`) or from a source checkout (which builds it). Run it again to upgrade: settings and mail stay.
#
#   sh install.sh             install, or upgrade
#   DESTDIR=/some/dir sh install.sh
#                             only lay the files under that folder (for packagers, and for tests)
set -eu
cd "$(dirname "$0")"

root=${DESTDIR-}
bin=$root/usr/local/bin/postern
settings=$root/etc/postern/postern.env
unit=$root/etc/systemd/system/postern.service
data=$root/var/lib/postern

die() {
  printf '%s\n' "$@" >&2
  exit 1
}

check_machine() {
  [ "$(uname -s)" = Linux ] || die "install.sh is for Linux; this is $(uname -s). For a try: scripts/start"
  [ -z "$root" ] || return 0
  [ "$(id -u)" = 0 ] || die 'install.sh makes a system user and a service, so it must run as root:' '  sudo sh install.sh'
  command -v systemctl >/dev/null || die 'There is no systemd on this machine.' \
    'Start the executable by your own service manager instead:  postern serve  (systemd/postern.service shows how).'
}

# Sets executable. A release folder has it beside this script.
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

make_user() {
  [ -z "$root" ] || return 0
  if ! getent group postern >/dev/null; then groupadd --system postern; fi
  if ! getent passwd postern >/dev/null; then
    useradd --system --gid postern --home-dir /var/lib/postern --no-create-home --shell /usr/sbin/nologin postern
  fi
}

# Puts a file in place in one step, so that no half of one is ever there.
place() {
  mode=$1 from=$2 to=$3
  mkdir -p "$(dirname "$to")"
  cp "$from" "$to.new"
  chmod "$mode" "$to.new"
  mv -f "$to.new" "$to"
}

is_running() {
  [ -z "$root" ] && systemctl is-active --quiet postern.service
}

lay_files() {
  mkdir -p "$data"
  chmod 0700 "$data"
  [ -n "$root" ] || chown postern:postern "$data"
  place 0755 "$executable" "$bin"
  place 0644 systemd/postern.service "$unit"
  [ ! -e README.md ] || place 0644 README.md "$root/usr/local/share/doc/postern/README.md"
  # Settings are the administrator's: never replaced. They may hold secrets.
  if [ ! -e "$settings" ]; then place 0640 systemd/postern.env "$settings"; fi
  if [ -z "$root" ]; then chgrp postern "$settings"; fi
}

start_service() {
  [ -z "$root" ] || return 0
  systemctl daemon-reload
  systemctl enable --quiet postern.service
  systemctl start postern.service || explain_failure
  # `start` returns when the process is there; a wrong setting ends it a moment later.
  sleep 2
  systemctl is-active --quiet postern.service || explain_failure
}

explain_failure() {
  journalctl --unit postern.service --lines 15 --no-pager >&2 || true
  die '' 'Postern was installed but did not start; the lines above say why.' \
    "Settings: $settings. Then: systemctl restart postern"
}

check_machine
find_executable
action=Installed
[ ! -e "$bin" ] || action=Upgraded
make_user
# Mail under way is finished or sent again by its sender; nothing acknowledged is lost.
if is_running; then systemctl stop postern.service; fi
lay_files
start_service

cat <<END
$action: $version

Next:
  1. set the mail domain and the addresses to listen on:  $settings
     then  systemctl restart postern
  2. make the first account:  postern account create --email you@example.com --data-dir /var/lib/postern
  3. see what is still missing:  postern config ; journalctl -u postern
END
