# Sourced by bin/course and bin/test: makes .venv at the first use and keeps it in step with requirements/.
# Everything it says goes to stderr, so that `bin/course ... --json` prints JSON alone.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv="$here/.venv"
triton=torch
[ "${COURSE_TORCH:-1}" != 0 ] || triton=triton

say() { printf 'course: %s\n' "$*" >&2; }

find_python() {
    local name
    for name in "${COURSE_PYTHON:-python3}" python3.12 python3.11 python3.13; do
        if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    say "Python 3.11 or newer is needed and was not found (Debian, Ubuntu, WSL2: sudo apt install python3 python3-venv)"
    say "需要 Python 3.11 或更新版本（Debian、Ubuntu、WSL2：sudo apt install python3 python3-venv）"
    exit 3
}

# install NAME: the packages of requirements/NAME.txt, unless the same list was installed before.
install() {
    local list="$here/requirements/$1.txt" stamp="$venv/.installed-$1"
    if [ -f "$stamp" ] && cmp -s "$stamp" "$list"; then return 0; fi
    say "installing $(grep -c '==' "$list") packages of requirements/$1.txt ..."
    # shellcheck disable=SC2086
    if "$venv/bin/python" -m pip install --disable-pip-version-check --quiet --progress-bar on \
        ${COURSE_PIP_ARGS:-} -r "$list" >&2; then
        cp "$list" "$stamp"
    else
        return 1
    fi
}

# The package itself, as a link to this checkout: edits count at once, and it works from any folder.
link_package() {
    local site
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    printf '%s\n' "$here" > "$site/course-checkout.pth"
    touch "$venv/.linked"
}

prepare() {
    local begin=$SECONDS
    if [ ! -x "$venv/bin/python" ]; then
        say "first use: making $venv (one to two minutes, once) / 首次使用：正在建立环境（约一两分钟，仅此一次）"
        "$(find_python)" -m venv "$venv" >&2 || { say "cannot make a virtual environment (Debian, Ubuntu: sudo apt install python3-venv)"; exit 3; }
    fi
    install base || { say "the packages could not be installed: see pip's words above; COURSE_PIP_ARGS passes options to pip"; exit 3; }
    [ -f "$venv/.linked" ] || link_package
    # COURSE_TORCH=0 leaves torch (a large download) out: without a GPU the lessons run without it.
    if ! install "$triton"; then
        say "$triton could not be installed: Triton lessons cannot run yet, CUDA lessons can (tried again at the next start)"
    fi
    if command -v g++ >/dev/null 2>&1; then
        say "preparing the CUDA emulator (some seconds, once)"
        "$venv/bin/python" -P -c 'from graders.emulator.build import prepare; prepare()' >/dev/null 2>&1 || true # the first CUDA lesson tells
    fi
    command -v g++ >/dev/null 2>&1 || say "g++ is missing: CUDA lessons cannot run on the CPU (sudo apt install g++); Triton lessons can"
    for name in "$@"; do
        install "$name" || { say "requirements/$name.txt could not be installed"; exit 3; }
    done
    say "ready after $((SECONDS - begin)) s"
}

# Nothing to do costs nothing: three comparisons of small files.
ready() {
    local name
    [ -f "$venv/.linked" ] || return 1
    for name in base "$triton" "$@"; do
        cmp -s "$venv/.installed-$name" "$here/requirements/$name.txt" || return 1
    done
}

ensure() {
    ready "$@" && return 0
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$here/.venv.lock"
        flock 9
        ready "$@" || prepare "$@"
        exec 9>&-
    else
        prepare "$@"
    fi
}
