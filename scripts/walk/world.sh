# shellcheck shell=bash
# The Internet of .ci/walk, which sources this file: a network namespace with a name server, a CA, a web server and a mail
# server, and another namespace for the machine. Nothing outside of these and of $work is changed.

# The address on the page is reserved for documentation, so the doctor would report that it is not public.
readonly WORLD=11.0.0.1 MACHINE=11.0.0.25

in_world() { ip netns exec "$net-world" "$@"; }

# Starts a program in the background, in the world; its output goes to $work/NAME.log. Not with in_world: a function runs in
# a shell of its own, and killing that would not end the program.
serve() {
  local name=$1
  shift
  ip netns exec "$net-world" "$@" >"$work/$name.log" 2>&1 &
  pids+=($!)
}

make_world() {
  connect
  make_certificate
  write_zone
  write_name_server "$work/nsd.conf"
  serve nsd nsd -d -c "$work/nsd.conf"
  # Google's mail server, which tells whether port 25 is open.
  serve sink smtp-sink -u nobody "$WORLD:25" 10
  write_ca "$work/pebble.json"
  serve pebble env PEBBLE_VA_NOSLEEP=1 "$pebble" -config "$work/pebble.json" -strict -dnsserver "$WORLD:53"
  serve web "$BUN" scripts/walk/web.ts "$WORLD" "$release" "/$version/" "$work/web"
  for _ in $(seq 100); do
    if in_world curl -sfk https://127.0.0.1:15000/roots/0 >"$work/issuer.pem"; then return 0; fi
    sleep 0.1
  done
  return 1
}

connect() {
  ip netns add "$net-world"
  ip netns add "$net-machine"
  ip link add world0 netns "$net-world" type veth peer name host0 netns "$net-machine"
  ip -n "$net-world" addr add "$WORLD/24" dev world0
  ip -n "$net-machine" addr add "$MACHINE/24" dev host0
  ip -n "$net-world" link set lo up
  ip -n "$net-world" link set world0 up
  ip -n "$net-machine" link set lo up
  ip -n "$net-machine" link set host0 up
}

# Makes the world's root certificate, and a certificate for its web servers.
make_certificate() {
  local fresh=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
  openssl req -x509 "${fresh[@]}" -keyout "$work/root.key" -out "$work/root.pem" -days 7 -subj '/CN=Root of the walk' 2>/dev/null
  openssl req "${fresh[@]}" -keyout "$work/web.key" -out "$work/web.csr" -subj /CN=web 2>/dev/null
  printf 'subjectAltName=DNS:releases.example.com,DNS:acme-v02.api.letsencrypt.org\n' >"$work/web.ext"
  openssl x509 -req -in "$work/web.csr" -CA "$work/root.pem" -CAkey "$work/root.key" -CAcreateserial -days 7 \
    -extfile "$work/web.ext" -out "$work/web.pem" 2>/dev/null
}

# Writes the records that the page prints, and those that the provider and others would publish.
write_zone() {
  {
    # shellcheck disable=SC2016
    printf '$TTL 60\n. SOA ns. hostmaster. 1 3600 600 86400 45\n. NS ns.\nns. A %s\n' "$WORLD"
    printf '%s. A %s\n' releases.example.com "$WORLD" acme-v02.api.letsencrypt.org "$WORLD" \
      gmail-smtp-in.l.google.com "$WORLD"
    printf 'gmail.com. MX 5 gmail-smtp-in.l.google.com.\n25.0.0.11.in-addr.arpa. PTR mx.mail.example.com.\n'
    printed 'MX    10' | sed "s/203\.0\.113\.25/$MACHINE/"
  } >"$work/root.zone"
}

write_name_server() {
  cat >"$1" <<END
server:
  ip-address: $WORLD
  zonesdir: "$work"
  username: ""
  chroot: ""
  server-count: 1
  pidfile: "$work/nsd.pid"
  xfrdfile: "$work/xfrd.state"
  xfrdir: "$work"
  database: ""
  zonelistfile: "$work/zone.list"
remote-control:
  control-enable: no
zone:
  name: .
  zonefile: root.zone
END
}

write_ca() {
  cat >"$1" <<END
{"pebble": {
  "listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "httpPort": 80, "tlsPort": 443,
  "certificate": "$work/web.pem", "privateKey": "$work/web.key", "keyAlgorithm": "ecdsa",
  "retryAfter": {"authz": 1, "order": 1}, "profiles": {"default": {"description": "The only one", "validityPeriod": 7776000}}
}}
END
}
