# Sourced by .ci/conformance and .ci/clients, in the repository's root: starts
# and stops the fixture, and cleans up whatever happens. It sets work, a scratch
# directory, and, while the fixture runs, url.

script=${0##*/}
work=$(mktemp -d)
server= # pid of the fixture while it runs
cleanup() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT

fail() {
  echo "$script: $1" >&2
  exit 1
}

# npm_install DIRECTORY WHAT… installs from npm, once. An install that broke off
# is begun anew.
npm_install() {
  local dir=$1
  shift
  if [[ -e $dir/complete ]]; then return; fi
  command -v npm >/dev/null || fail "needs Node.js with npm"
  rm -rf "$dir" && mkdir -p "$dir"
  if ! (cd "$dir" && npm init -y && npm install --ignore-scripts --no-audit --no-fund "$@") >"$work/npm.log" 2>&1; then
    cat "$work/npm.log" >&2
    fail "npm could not install $*"
  fi
  touch "$dir/complete"
}

# serve [FLAG…] builds and starts the fixture on a free port of the loopback
# interface.
serve() {
  local word
  go build -o "$work/fixture" ./internal/conformance
  : >"$work/out"
  "$work/fixture" --addr 127.0.0.1:0 "$@" >"$work/out" 2>"$work/server.log" &
  server=$!
  for _ in {1..100}; do
    if read -r word url <"$work/out" && [[ $word == listening ]]; then return; fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat "$work/server.log" >&2
  fail "the fixture did not start"
}

# stop ends the fixture, which must end well.
stop() {
  local pid=$server
  server=
  kill "$pid" || fail "the fixture was gone before it was stopped"
  wait "$pid" || { cat "$work/server.log" >&2; fail "the fixture did not end well"; }
}
