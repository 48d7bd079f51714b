#!/usr/bin/env bash
# Starts Kogoma. On first use it creates a Python environment and installs the packages.
#   engine.sh                    the USI engine, for a GUI or a terminal
#   engine.sh test [ARGS]        run the tests; --all adds the long ones, other ARGS go to pytest
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

# Whether the packages of these lock files are installed: kogoma.pth lists them (kogoma/environment.py). Reading files
# here, without a subprocess, is all that a later start costs.
is_ready() { # is_ready NAME...
  local name digest folder listed='' checkout=../../../..
  for name; do
    [[ -r $here/requirements/$name.txt ]] || die "$here/requirements/$name.txt is missing: is the checkout complete?"
  done
  [[ -x $python && -r $venv/kogoma.pth ]] || return 1
  IFS= read -r -d '' listed <"$venv/kogoma.pth"
  [[ $venv == "$here/.venv" ]] || checkout=$here
  [[ $listed == "$checkout"$'\n'* ]] || return 1
  for name; do
    IFS= read -r digest <"$here/requirements/$name.txt"
    folder=("$venv/packages/$name-"*"-${digest##* }")
    [[ -d ${folder[0]} && $listed == *"/packages/${folder[0]##*/}"$'\n'* ]] || return 1
  done
}

# Prints in one line whether a Python is suitable; it also runs on old versions.
probe='
import os, re, sys
version = "%d.%d" % sys.version_info[:2]
if version not in re.findall(r"Python :: (\d+\.\d+)", open(sys.argv[1]).read()):
    print("other " + version)
else:
    try:
        import ensurepip, venv
        print("good " + os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
    except ImportError:
        print("bare " + version)
'

find_python() { # sets base_python, or exits with a message
  local name path answer other='' bare='' bare_version='' broken='' tested
  tested=$(grep -oE 'Python :: 3\.[0-9]+' "$here/setup.cfg" | grep -oE '3\.[0-9]+' | tr '\n' ' ')
  [[ -n $tested ]] || die "$here/setup.cfg is missing or cannot be read: is the checkout complete?"
  tested=${tested% }
  tested=${tested// /, }
  local how=("Install one of them (Debian, Ubuntu: 'sudo apt install python3 python3-venv'; elsewhere: python.org),"
    "or set the one to use: KOGOMA_PYTHON=/path/to/python3 $here/engine.sh")
  while IFS= read -r path; do
    # Version managers leave commands that exist but do not run, so each one is run.
    answer=$("$path" -c "$probe" "$here/setup.cfg" 2>/dev/null </dev/null)
    case $answer in
      good\ *) base_python=${answer#good }; return ;;
      other\ *) : "${other:=Python ${answer#other } ($path)}" ;;
      bare\ *) : "${bare:=$path}" "${bare_version:=${answer#bare }}" ;;
      *) : "${broken:=$path}" ;;
    esac
  done < <(
    if [[ -n ${KOGOMA_PYTHON:-} ]]; then
      type -P -- "$KOGOMA_PYTHON" || printf '%s\n' "$KOGOMA_PYTHON"
    else
      for name in python3.13 python3.12 python3.11 python3 python; do type -aP "$name"; done
    fi
  )
  [[ -z $bare ]] || die "$bare (Python $bare_version) cannot create environments: its venv or ensurepip module is missing." \
    "Debian, Ubuntu: 'sudo apt install python$bare_version-venv', then start again." \
    "Or set another Python: KOGOMA_PYTHON=/path/to/python3 $here/engine.sh"
  [[ -z $other ]] || die "is tested with Python $tested, but found only $other." "${how[@]}"
  [[ -z $broken ]] || die "$broken does not run as a Python." "${how[@]}"
  die "found no Python ($tested)." "${how[@]}"
}

# Runs a command with the environment's Python, after the packages of these lock files have been installed.
run() { # run "NAME..." ARGUMENT...
  local names
  read -r -a names <<<"$1"
  shift
  is_ready "${names[@]}" && exec "$python" "$@"
  base_python=$("$python" -c "$probe" "$here/setup.cfg" 2>/dev/null </dev/null)
  if [[ $base_python == good\ * ]]; then base_python=${base_python#good }; else find_python; fi
  exec "$base_python" -I "$here/kogoma/environment.py" "$venv" "${names[@]}" -- "$python" "$@"
}

if [[ ${1:-} == test ]]; then
  shift
  packages='engine lab export board test'
  for word; do
    case $word in
      -h | --help)
        printf '%s\n' "usage: $0 test [--all] [ARGS]" '' \
          'Run the tests, after installing what they need (CONTRIBUTING.md).' \
          '  --all   also run the long tests, with new random seeds' \
          '  ARGS    arguments of pytest, for example -k perft'
        exit
        ;;
      --all) packages+=' cluster release dev' ;;
    esac
  done
  cd -- "$here" || die "cannot enter $here"
  case $* in
    '' | --all) set -- -n auto "$@" ;; # tests/conftest.py says how many workers
  esac
  run "$packages" -m pytest "$@"
fi
export KOGOMA_PROGRAM=$0 # the program's name in messages; kogoma-VARIANT also selects the variant
# Isolated mode (-I): neither the working folder nor PYTHONPATH can shadow this `kogoma`.
run engine -I -m kogoma "$@"
