"""Completion for bash and zsh of what program_help reads. Ids are asked of the program when they are completed."""
import re

# The command that lists the values of a command's first positional; the others take a strategy, a file or both.
LISTS = {"theory": "theory", "lessons": "lessons"}
WORDS_OF_LISTS = r"sed -n 's/^\([a-z][a-z-]*\)  .*/\1/p'"
WORDS_OF_IDS = r"""sed -n 's/^ *"id": "\([^"]*\)".*/\1/p'"""


def source(command):
    """The command line whose output is what the positional can be; empty: only files."""
    names = [option.names[0] for option in command.positionals]
    if command.name in LISTS:
        return f"warptree {LISTS[command.name]} 2>/dev/null | {WORDS_OF_LISTS}"
    if any(name in ("id", "what") for name in names):
        return f"warptree list --json 2>/dev/null | {WORDS_OF_IDS}"
    return ""


def names(command):
    return [name for option in command.options for name in option.names]


def bash_values(command):
    """Cases of the option before the word: its values, files, or nothing known."""
    lines = []
    for option in command.options:
        if not option.value or option.optional_value:
            continue
        if option.choices:
            action = f'_warptree_words "{" ".join(option.choices)}"' + ("; _warptree_files" if option.takes_file else "")
        elif "--compare" in option.names:
            action = f'_warptree_words "$({source(command)})"; _warptree_files'
        else:
            action = "_warptree_files" if option.takes_file else ":"
        lines.append(f"        {'|'.join(f'{command.name}:{name}' for name in option.names)}) {action}; return ;;")
    return lines


def bash(commands):
    top, *rest = commands
    values = "\n".join(line for command in commands for line in bash_values(command))
    options = "\n".join(f'            {command.name or chr(39) * 2}) _warptree_words "{" ".join(names(command))}" ;;'
                        for command in commands)
    positionals = "\n".join(f'        {command.name}) _warptree_words "$({source(command)})"; _warptree_files ;;'
                            for command in rest if source(command))
    words = " ".join(command.name for command in rest)
    return f"""# Completion of warptree for bash.
_warptree_words() {{ mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -W "$1" -- "$current"); }}
_warptree_files() {{
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
}}
_warptree() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command='' word
    COMPREPLY=()
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
        case $word in
            {words.replace(" ", "|")}) command=$word; break ;;
        esac
    done
    case $command:$previous in
{values}
    esac
    if [[ $current == -* ]]; then
        case $command in
{options}
        esac
        return
    fi
    case $command in
        '') _warptree_words "{words}"; _warptree_files ;;
{positionals}
        *) _warptree_files ;;
    esac
}}
complete -F _warptree warptree
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def described(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_option(option, command):
    """Specifications as _arguments takes them: '(-n --count)'{-n,--count}'[text]:value:action'."""
    value = ""
    if option.value:
        if option.choices:
            action = f"({' '.join(option.choices)})"
        elif "--compare" in option.names:
            action = "_warptree_runs"
        else:
            action = "_files" if option.takes_file else " "
        value = f"{'::' if option.optional_value else ':'}{option.value.lower()}:{action}"
    star = "*" if option.several else ""
    text = f"[{described(option.text)}]"
    apart = "" if option.several or len(option.names) == 1 else f"({' '.join(option.names)})"
    return [quoted(f"{apart}{star}{name}{text}{value}") for name in option.names]


def zsh(commands):
    top, *rest = commands
    described_commands = "\n".join(f"    {quoted(f'{name}:' + text.replace(':', chr(92) + ':'))}"
                                   for name, text in top.commands.items())
    top_specs = " \\\n".join("        " + spec for option in top.options for spec in zsh_option(option, top))
    cases = []
    for command in rest:
        specs = [spec for option in command.options for spec in zsh_option(option, command)]
        if command.name in LISTS:
            specs.append(f"'*:{command.name}:_warptree_{command.name}'")
        elif source(command):
            specs.append("'*:strategy or file:_warptree_runs'")
        elif command.positionals:
            specs.append("'*:file:_files'")
        cases.append(f"        {command.name}) _arguments -s \\\n" +
                     " \\\n".join("            " + spec for spec in specs) + " ;;")
    lists = "\n".join(f"_warptree_{name}() {{ compadd -- ${{(f)\"$(warptree {verb} 2>/dev/null | {WORDS_OF_LISTS})\"}} }}"
                      for name, verb in LISTS.items())
    newline = "\n"
    return f"""#compdef warptree
# Completion of warptree for zsh.
_warptree_runs() {{
    compadd -- ${{(f)"$(warptree list --json 2>/dev/null | {WORDS_OF_IDS})"}}
    _files
}}
{lists}
_warptree_first() {{
    local -a commands=(
{described_commands}
    )
    _describe -t commands command commands
    _files
}}
_warptree() {{
    local context state state_descr line
    typeset -A opt_args
    _arguments -C \\
{top_specs} \\
        '1: :_warptree_first' '*:: :->rest' && return
    [[ $state == rest ]] || return
    case $line[1] in
{newline.join(cases)}
        *) _files ;;
    esac
}}
_warptree "$@"
"""
