#!/bin/sh
# Installs the trap in a development container. The options are in FROM and SHA256. Nothing is installed unless the
# executable runs and has the given checksum.
set -eu

fail() {
  printf 'postern: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'run this as root, as tools for development containers do'
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
from=${FROM:-}
sum=${SHA256:-}
draft=$(mktemp /usr/local/bin/.postern-XXXXXX)
trap 'rm -rf "$draft" "$draft.d"' EXIT

case $from in
'') [ -f "$here/postern" ] || fail "set the option 'from' to the URL of the executable, or put it at $here/postern"
  cp "$here/postern" "$draft" ;;
https://*)
  [ -n "$sum" ] || fail "set the option 'sha256' to the checksum of the executable: a download is not trusted without it"
  if command -v curl >/dev/null; then
    curl -fsSL --proto '=https' --tlsv1.2 -o "$draft" "$from" || fail "$from could not be downloaded"
  elif command -v wget >/dev/null; then
    # A redirect to http does no harm, because the checksum is verified.
    wget -q -O "$draft" "$from" || fail "$from could not be downloaded"
  else
    fail 'this image has neither curl nor wget'
  fi ;;
*) fail "the option 'from' must be an https URL, not $from" ;;
esac

if [ -n "$sum" ]; then
  printf '%s  %s\n' "$sum" "$draft" | sha256sum -c - >/dev/null 2>&1 ||
    fail "the executable has the checksum $(sha256sum "$draft" | cut -d' ' -f1), not $sum; nothing was installed"
fi
case $from in
*.tar.gz)
  mkdir "$draft.d"
  tar -xzf "$draft" -C "$draft.d" || fail "$from could not be unpacked"
  mv "$draft.d"/postern-*/postern "$draft" || fail "$from is not a release archive"
  rm -rf "$draft.d" ;;
esac
chmod 755 "$draft"
"$draft" version >/dev/null 2>&1 ||
  fail 'the executable does not run here: it may be for another processor, or for another C library (Alpine needs the one for musl, and the package libstdc++)'
mv "$draft" /usr/local/bin/postern
trap - EXIT

mkdir -p /usr/local/share/postern
cat >/usr/local/share/postern/start <<'START'
#!/bin/sh
# The container's entry point: starts the trap, then the container's own command.
if ! POSTERN_URL=http://127.0.0.1:8025 /usr/local/bin/postern ready >/dev/null 2>&1; then
  POSTERN_LOG=json /usr/local/bin/postern capture >/tmp/postern.log 2>&1 </dev/null &
fi
exec "$@"
START
chmod 755 /usr/local/share/postern/start
/usr/local/bin/postern version
