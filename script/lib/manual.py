"""The manual page of what program_help reads, in the man macros of roff."""


def escaped(text):
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("^", r"\(ha").replace("~", r"\(ti").replace("`", r"\(ga")
    return r"\&" + text if text.startswith((".", "'")) else text


def spec(option, positional):
    style = "I" if positional else "B"
    names = ", ".join(rf"\f{style}{escaped(name)}\fR" for name in option.names)
    if not option.value or positional:
        return names + (" ..." if option.several else "")
    value = rf"\fI{option.value}\fR"
    return f"{names} {f'[{value}]' if option.optional_value else value}" + (" ..." if option.several else "")


def entry(option, positional):
    notes = [option.text] if option.text else []
    if option.required and not positional:
        notes.append("(required)")
    if option.default:
        notes.append(f"(default {option.default})")
    return [".TP", spec(option, positional), escaped(" ".join(notes)) or r"\&"]


def synopsis(usage):
    program, _, rest = usage.partition(" ")
    return [rf"\fB{escaped(program)}\fR {escaped(rest)}", ".br"]


def groups(command, plain):
    """Headings of its own get a line; those of `plain` need none."""
    lines = []
    for heading, options in command.groups.items():
        if heading not in plain:
            lines += [".PP", escaped(heading) + ":"]
        for option in options:
            lines += entry(option, heading == "Positionals")
    return lines


def section(command):
    plain = ("Positionals", "Options")
    return [rf".SS {escaped(command.name)}", *map(escaped, command.about), ".PP", *synopsis(command.usage),
            *groups(command, plain)]


def manual(commands, version):
    top, *rest = commands
    about = [line for line in top.about if not line.startswith("Exit codes:")]
    codes = [line[len("Exit codes:"):].strip() for line in top.about if line.startswith("Exit codes:")]
    lines = [rf'.TH WARPTREE 1 "" "{escaped(version)}" "User Commands"', ".nh", ".ad l",
             ".SH NAME", r"warptree \- step through real GPU reduction kernels",
             ".SH SYNOPSIS"]
    for command in commands:
        lines += synopsis(command.usage)
    lines += [".SH DESCRIPTION", *map(escaped, about), ".SH OPTIONS", *groups(top, ("Positionals", "Options")),
              ".SH COMMANDS"]
    for command in rest:
        lines += section(command)
    if codes:
        lines += [".SH EXIT STATUS", *map(escaped, codes)]
    return "\n".join(lines) + "\n"
