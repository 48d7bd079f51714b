#!/usr/bin/env bash
# Starts Kogoma. On first use it creates a Python environment and installs the packages.
#   engine.sh                    the USI engine, for a GUI or a terminal
#   engine.sh test [ARGS]        run the tests; --all adds the long ones, other ARGS go to pytest
#   engine.sh match ARGS         run a match; installs more packages on first use
#   engine.sh board [ARGS]       play in a browser; installs more packages on first use
#   engine.sh help               list the other commands
# KOGOMA_PYTHON names the Python to set up with, KOGOMA_VENV the folder for the environment.
# Standard output belongs to the USI protocol, so every message here goes to standard error.
set -u

say() { printf 'kogoma: %s\n' "$@" >&2; }
die() { say "$@"; exit 1; }

# The checkout's folder, also when started through a symbolic link.
self=${BASH_SOURCE[0]}
while [[ -L $self ]]; do
  link=$(readlink -- "$self")
  [[ $link == /* ]] || link=${self%"${self##*/}"}$link
  self=$link
done
[[ $self == */* ]] || self=./$self
here=$(unset CDPATH; cd -P -- "${self%/*}" && printf '%s.' "$PWD") || die "cannot enter the folder of $self"
here=${here%.}

venv=${KOGOMA_VENV:-$here/.venv}
[[ $venv == /* ]] || venv=$PWD/$venv
python=$venv/bin/python
unfinished=$venv/kogoma-unfinished
log=$venv/kogoma-setup.log

# A stamp file, written last, holds the checkout's path and its setup.cfg. Comparing the text needs no subprocess. After
# a move of the checkout or a change of the requirements, the stamp differs, and the packages are installed again.
IFS= read -r -d '' requirements <"$here/setup.cfg"
[[ -n ${requirements:-} ]] || die "$here/setup.cfg is missing or cannot be read: is the checkout complete?"
installed_text="checkout = $here"$'\n'$requirements

is_ready() { # is_ready engine|lab|cluster|export|release|board|dev: whether this extra, or one that contains it, is installed
  local extra stamp found
  [[ -x $python && ! -e $unfinished ]] || return 1
  case $1 in # setup.cfg and setup.py say which extra contains which
    engine) set -- engine ;; # every installation writes this stamp
    lab) set -- lab cluster dev ;;
    export) set -- export board release dev ;;
    release) set -- release dev ;;
    cluster | board) set -- "$1" dev ;;
  esac
  for extra; do
    stamp=$venv/kogoma-$extra.stamp found=
    [[ -r $stamp ]] || continue
    IFS= read -r -d '' found <"$stamp"
    [[ $found != "$installed_text" ]] || return 0
  done
  return 1
}

# Prints in one line whether a Python is suitable; it also runs on old versions.
probe='
import os, sys
version = "%d.%d" % sys.version_info[:2]
if sys.version_info < (3, 11):
    print("old " + version)
else:
    try:
        import ensurepip, venv
        print("good " + os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
    except ImportError:
        print("bare " + version)
'

find_python() { # sets base_python, or exits with a message
  local name path answer old='' bare='' bare_version='' broken=''
  local how=("Install Python 3.11 or newer (Debian, Ubuntu: 'sudo apt install python3 python3-venv'; elsewhere: python.org),"
    "or set the one to use: KOGOMA_PYTHON=/path/to/python3 $here/engine.sh")
  while IFS= read -r path; do
    # Version managers leave commands that exist but do not run, so each one is run.
    answer=$("$path" -c "$probe" 2>/dev/null </dev/null)
    case $answer in
      good\ *) base_python=${answer#good }; return ;;
      old\ *) : "${old:=Python ${answer#old } ($path)}" ;;
      bare\ *) : "${bare:=$path}" "${bare_version:=${answer#bare }}" ;;
      *) : "${broken:=$path}" ;;
    esac
  done < <(
    if [[ -n ${KOGOMA_PYTHON:-} ]]; then
      type -P -- "$KOGOMA_PYTHON" || printf '%s\n' "$KOGOMA_PYTHON"
    else
      for name in python3.13 python3.12 python3.11 python3.14 python3 python; do type -aP "$name"; done
    fi
  )
  [[ -z $bare ]] || die "$bare (Python $bare_version) cannot create environments: its venv or ensurepip module is missing." \
    "Debian, Ubuntu: 'sudo apt install python$bare_version-venv', then start again." \
    "Or set another Python: KOGOMA_PYTHON=/path/to/python3 $here/engine.sh"
  [[ -z $old ]] || die "needs Python 3.11 or newer, but found only $old." "${how[@]}"
  [[ -z $broken ]] || die "$broken does not run as a Python." "${how[@]}"
  die "found no Python." "${how[@]}"
}

lock() { # waits for the lock, which file descriptor 9 holds until it is closed
  exec 9>"$venv/kogoma.lock" || die "cannot write in $venv."
  "$base_python" -I -c '
import sys
try:
    import fcntl
    try:
        fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("kogoma: another process is setting up; waiting for it", file=sys.stderr)
        fcntl.flock(9, fcntl.LOCK_EX)
except KeyboardInterrupt:
    pass  # engine.sh reports it
except (ImportError, OSError):
    pass  # a system or a file system without locks: continue without a lock
' </dev/null >&2
}

make_folder() {
  local other='' file
  if ! mkdir -p -- "$venv" 2>/dev/null || [[ ! -w $venv ]]; then
    if [[ -n ${KOGOMA_VENV:-} ]]; then
      die "cannot write to $venv (KOGOMA_VENV)." "Set KOGOMA_VENV to a folder that you can write to."
    fi
    die "cannot write to $venv: the checkout is read-only for you." \
      "Set another folder for the environment (also for later starts):" \
      "  export KOGOMA_VENV=\"\$HOME/.local/share/kogoma/venv\""
  fi
  # Kogoma's environment, finished or not, or a working environment of the user.
  [[ -e $unfinished || -e $venv/kogoma-engine.stamp ]] && return
  [[ -e $venv/pyvenv.cfg && -x $python ]] && return
  for file in "$venv"/* "$venv"/.[!.]*; do
    [[ -e $file && $file != */kogoma.lock ]] && other=$file
  done
  [[ -z $other ]] || die "$venv contains files that are not Kogoma's (${other##*/})." \
    "Delete that folder, or set a new one: KOGOMA_VENV=/path/to/folder"
}

make_environment() {
  local output
  # Delete an environment whose set-up was interrupted or whose Python is gone.
  if [[ -e $unfinished || ! -x $python ]]; then
    find "$venv" -mindepth 1 -maxdepth 1 ! -name kogoma.lock -exec rm -rf -- {} + || die "cannot empty $venv."
  fi
  : >"$unfinished" || die "cannot write in $venv (is the disk full?)."
  [[ -x $python ]] && return
  say "setting up in $venv with $base_python"
  output=$("$base_python" -I -m venv "$venv" </dev/null 2>&1) && return
  printf '%s\n' "$output" >&2
  die "$base_python could not create the environment in $venv (its output is above)." \
    "If it mentions ensurepip or venv: 'sudo apt install python3-venv' on Debian or Ubuntu. Otherwise check the disk space," \
    "or set another Python: KOGOMA_PYTHON=/path/to/python3 $here/engine.sh"
}

install() { # install engine|lab|cluster|export|release|board|dev
  local what=$here options=() output package how
  case $1 in
    engine) say "installing numba, numpy and their dependencies: about a minute, once" ;;
    *)
      what="${here}[$1]"
      [[ $1 != dev ]] || options=(--no-compile) # most of its 1.4 GB is never imported
      say "installing the packages of the extra '$1' (setup.cfg lists them): about a minute, once"
      ;;
  esac
  : >"$log" || die "cannot write in $venv (is the disk full?)."
  if output=$(PIP_USER=0 "$python" -I -m pip install --quiet --no-input --progress-bar off ${options[@]+"${options[@]}"} \
    --disable-pip-version-check --log "$log" --editable "$what" </dev/null 2>&1); then
    [[ $1 == engine ]] || printf '%s' "$installed_text" >"$venv/kogoma-$1.stamp" || die "cannot write in $venv."
    printf '%s' "$installed_text" >"$venv/kogoma-engine.stamp" || die "cannot write in $venv."
    rm -f -- "$unfinished"
    say "set up."
    return
  fi
  rm -f -- "$unfinished" # pip cleans up after an error; only a killed set-up starts again from nothing
  if grep -qE 'NewConnectionError|Connection(Error| refused| reset)|ConnectTimeout|ReadTimeout|name resolution|SSLError|ProxyError|No matching distribution' "$log"; then
    package=$(grep -oEm1 'No matching distribution found for [^ ]+' "$log") || package='the packages'
    how='connect this machine, or set HTTPS_PROXY (behind a proxy) or PIP_INDEX_URL (another package index)'
    die "could not download ${package##*for }: $how, and start again."
  fi
  printf '%s\n' "$output" >&2
  die "could not install the packages: pip's messages are above, details are in $log." \
    "Fix the cause (disk space, permissions, compiler) and start again."
}

interrupted() {
  say "interrupted; the same command continues the set-up."
  exit 130
}

set_up() { # set_up engine|lab|cluster|export|release|board|dev
  trap interrupted INT
  find_python
  make_folder
  lock
  if ! is_ready "$1"; then # another process may have finished it meanwhile
    make_environment
    install "$1"
  fi
  exec 9>&-
  trap - INT
}

if [[ ${1:-} == test ]]; then
  shift
  is_ready dev || set_up dev
  cd -- "$here" || die "cannot enter $here"
  case $* in
    '' | --all) set -- -n auto "$@" ;; # a worker for each processor
  esac
  exec "$python" -m pytest "$@"
fi
needs=engine
command=
for ((i = 1; i <= $#; i++)); do # the first word that is neither --variants nor its file
  case ${!i} in
    --variants) ((i++)) ;;
    --variants=*) ;;
    *) command=${!i}; break ;;
  esac
done
if [[ $command == match || $command == tune || $command == book || $command == analyse ]]; then
  needs=lab
  for word in "$@"; do
    [[ $word == -cluster || $word == --cluster ]] && needs=cluster
  done
fi
case $command in
  board | wasm) needs=board ;;
  export) needs='export' ;;
  release) needs=release ;;
esac
is_ready "$needs" || set_up "$needs"
# Isolated mode (-I): neither the working folder nor PYTHONPATH can shadow this `kogoma`.
export KOGOMA_PROGRAM=${KOGOMA_PROGRAM:-$0} # the program's name in messages
exec "$python" -I -m kogoma "$@"
