# Sourced by the other scripts, which set root to the top of the checkout.
# shellcheck shell=bash
: "${root:?}"

readonly BUILD_FAILED=70 # apart from the program's own exit codes

say() { echo "${0##*/}: $*" >&2; }

# Runs a command as the checkout's owner when run under sudo, so that the build tree stays theirs.
as_owner() {
    local owner
    if (( EUID == 0 )) && [[ -n ${SUDO_UID:-} ]]; then
        owner=$(stat -c %u "$root")
        if (( owner != 0 )); then
            sudo -H -u "#$owner" -- env PATH="$PATH" "$@"
            return
        fi
    fi
    "$@"
}

# As many compilers as there are cores, but 1.8 GB of memory for each.
jobs() {
    local cores memory_kb
    cores=$(nproc)
    memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    local fit=$(( ${memory_kb:-0} / 1800000 ))
    if (( fit < 1 )); then fit=1; fi
    echo $(( fit < cores ? fit : cores ))
}

# build PRESET [TARGET...]: configures when needed and builds. Prints nothing when there is nothing to do; what it
# does print goes to standard error and to build/PRESET/build.log.
build() {
    local preset=$1 dir=$root/build/$1
    shift
    if ! as_owner mkdir -p "$dir" 2>/dev/null || ! as_owner test -w "$dir"; then
        say "cannot write $dir"
        return $BUILD_FAILED
    fi
    (
        # One build at a time in one directory.
        as_owner touch "$dir/.lock"
        exec 9>>"$dir/.lock"
        flock 9
        if [[ ! -e $dir/build.ninja || $root/CMakePresets.json -nt $dir/.configured ]]; then
            configure "$preset" "$dir" || exit $BUILD_FAILED
        fi
        set -o pipefail
        # ccache, where it is installed: what two presets compile alike is compiled once. Compilers name the headers
        # anyway, so it need not preprocess for them. Nothing is compiled in that says when (Clang's headers name __TIME__).
        as_owner env NINJA_STATUS="[%f/%t] " CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=time_macros \
            ninja -C "$dir" -j "$(jobs)" "$@" 2>&1 9>&- |
            { grep --line-buffered -v -e '^ninja: no work to do' -e '^ninja: Entering directory' \
                -e 'Re-checking globbed directories' || true; } |
            as_owner tee "$dir/build.log" >&2
        case ${PIPESTATUS[0]} in
            0) ;;
            *) say "build failed; the log is build/$preset/build.log"; exit $BUILD_FAILED ;;
        esac
    )
}

configure() {
    local preset=$1 dir=$2 log
    say "configuring build/$preset"
    # A second try from scratch: the cache may be from another checkout or compiler.
    if log=$(cd "$root" && as_owner cmake --preset "$preset" 2>&1) ||
        log=$(cd "$root" && as_owner cmake --fresh --preset "$preset" 2>&1); then
        grep -e '^-- warptree:' <<<"$log" >&2 || true
        as_owner touch "$dir/.configured"
    else
        echo "$log" >&2
        say "configuring failed"
        return 1
    fi
}
