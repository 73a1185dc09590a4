"""What `warptree --help` and `warptree COMMAND --help` say, as data."""
import re
import subprocess
from dataclasses import dataclass, field

OPTION = re.compile(r"  (\S.*?)(?:\s{2,}(\S.*))?$")
CONTINUED = re.compile(r"\s{20,}(\S.*)$")
HEADING = re.compile(r"(\S.*):$")


@dataclass
class Option:
    names: list  # -n, --block; of a positional its name
    value: str = ""  # TEXT; empty: a flag
    optional_value: bool = False
    default: str = ""
    several: bool = False
    required: bool = False
    text: str = ""

    @property
    def choices(self):
        """The words that the text lists as values, as in 'light, dark or contrast'; empty where it lists none."""
        for part in re.split(r"[;:(.]\s*", self.text):
            words = [word for word in re.split(r",? or |, ", part.strip()) if not re.match(r"an? ", word)]
            if len(words) > 1 and all(re.fullmatch(r"[a-z0-9][a-z0-9-]*", word) for word in words):
                return words
        return []

    @property
    def takes_file(self):
        return re.search(r"\b(?:FILE|OUT)\b|[Ff]iles?\b", self.text + " " + self.names[-1]) is not None


@dataclass
class Command:
    name: str  # empty: the program itself
    about: list = field(default_factory=list)  # lines
    usage: str = ""
    groups: dict = field(default_factory=dict)  # heading -> [Option]; a positional under "Positionals"
    commands: dict = field(default_factory=dict)  # name -> one line, of the program itself

    @property
    def options(self):
        return [option for heading, group in self.groups.items() if heading != "Positionals" for option in group]

    @property
    def positionals(self):
        return self.groups.get("Positionals", [])


def option(spec, text):
    names, _, rest = spec.partition(" ")
    value = re.match(r"(\[?)([A-Z]+)\]?(?:=(\S+))?", "" if rest.startswith("REQUIRED") else rest)
    return Option(names.split(","), value[2] if value else "", bool(value and value[1]), (value and value[3]) or "",
                  "..." in rest, "REQUIRED" in rest, text)


def parse(name, text):
    """A Command of what CLI11 prints."""
    command, heading, last = Command(name), None, None
    for line in text.splitlines():
        if line.startswith("Usage: "):
            command.usage = line[len("Usage: "):]
        elif not line.strip():
            continue
        elif not command.usage:
            command.about.append(line)
        elif found := HEADING.match(line):
            heading = found[1]
        elif (found := CONTINUED.match(line)) and last is not None:
            last.text = (last.text + " " + found[1]).strip()
        elif found := OPTION.match(line):
            if heading == "Subcommands":
                command.commands[found[1]] = found[2] or ""
            else:
                last = option(found[1], found[2] or "")
                command.groups.setdefault(heading, []).append(last)
        else:
            raise ValueError(f"the help of '{name or 'warptree'}' has a line of no known form: {line!r}")
    if not command.usage:
        raise ValueError(f"the help of '{name or 'warptree'}' has no line of usage")
    return command


def ask(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True, timeout=60).stdout


def read(program):
    """The program itself, then its commands in their order."""
    top = parse("", ask(program, "--help"))
    return [top] + [parse(name, ask(program, name, "--help")) for name in top.commands]
