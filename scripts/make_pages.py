#!/usr/bin/env python3
"""Manual pages and shell completions, from the tool's own help: they cannot fall behind it.

    make_pages.py ESPALIER FOLDER VERSION

Writes FOLDER/man/man1/espalier*.1 and completions for bash, zsh and fish.
"""
import os
import pathlib
import re
import subprocess
import sys


def help_of(tool, command=()):
    environment = dict(os.environ, COLUMNS="80", NO_COLOR="1")
    return subprocess.run([tool, *command, "--help"], check=True, text=True, env=environment,
                          stdout=subprocess.PIPE).stdout


def sections_of(text):
    """[(title, [lines without their indent of four])], as manual_page() of src/tool/cli/manual.cpp prints them."""
    sections = []
    for line in text.splitlines():
        if re.match(r"[A-Z]", line):
            sections.append((line, []))
        elif sections:
            sections[-1][1].append(line[4:])
    return sections


class Option:
    def __init__(self, head):
        words = head.replace(",", "").split()
        self.action = words.pop(0) if words and re.fullmatch(r"[a-z][a-z-]*", words[0]) and len(words) > 1 else ""
        self.flags = [w for w in words if re.match(r"--?[a-z]", w)]
        self.value = " ".join(w for w in words if not w.startswith("-"))
        self.help = ""


def options_of(sections):
    found = []
    for line in dict(sections).get("OPTIONS", []):
        if line and not line.startswith(" "):
            found.append(Option(line))
        elif line:
            found[-1].help = (found[-1].help + " " + line.strip()).strip()
    return found


# -- manual pages

def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def roff_body(title, lines):
    if title == "OPTIONS":
        out = []
        for line in lines:
            if not line:
                continue
            head = not line.startswith(" ")
            out += [".TP", f"\\fB{escaped(line)}\\fR"] if head else [escaped(line.strip())]
        return out
    if title in ("DESCRIPTION", "SETTINGS"):  # paragraphs are filled, lists keep their lines
        out = []
        for paragraph in "\n".join(lines).strip("\n").split("\n\n"):
            rows = paragraph.split("\n")
            is_list = any(re.match(r"\s|\S+ {2,}\S", row) for row in rows)
            out += [".PP"] + ([".nf"] if is_list else []) + [escaped(r) for r in rows] + ([".fi"] if is_list else [])
        return out
    return [".nf"] + [escaped(line) for line in "\n".join(lines).strip("\n").split("\n")] + [".fi"]


def man_page(name, sections, version, others):
    # .ad l: lines are not stretched, since long words (of cost models) leave some with one word, which troff warns of.
    out = [f'.TH "{name.upper()}" 1 "" "espalier {version}" "Espalier"', ".ad l"]
    for title, lines in sections:
        out.append(f'.SH "{title}"')
        if title == "NAME":
            tagline = " ".join(line.strip() for line in lines).strip().split(" - ", 1)[1]
            out.append(f"{escaped(name)} \\- {escaped(tagline)}")
        else:
            out += roff_body(title, lines)
    out += ['.SH "SEE ALSO"', ", ".join(f"\\fB{escaped(other)}\\fR(1)" for other in others if other != name)]
    return "\n".join(out) + "\n"


# -- completions

def actions_of(name, sections):
    """Of commands that have some ("espalier lab up"): by the synopsis, since not all have options."""
    if not any(option.action for option in options_of(sections)):
        return []
    found = re.findall(rf"^espalier {name} ([a-z]+)", "\n".join(dict(sections)["SYNOPSIS"]), re.MULTILINE)
    return list(dict.fromkeys(found))


def bash(commands):
    cases = []
    for name, _, options, actions in commands:
        flags = " ".join(f for o in options for f in o.flags)
        cases.append(f'    {name}) actions="{" ".join(actions)}"; flags="{flags}" ;;')
    names = " ".join(name for name, *_ in commands)
    return f"""# bash completion for espalier; made from its --help.
_espalier() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} command="" action="" word actions="" flags="--help --version --color --width"
  local at
  for ((at = 1; at < COMP_CWORD; ++at)); do
    word=${{COMP_WORDS[at]}}
    [[ $word == -- ]] && return
    [[ $word == -* ]] && continue
    if [[ -z $command ]]; then command=$word; elif [[ -z $action ]]; then action=$word; fi
  done
  case $command in
    "") actions="{names}"; action="" ;;
{chr(10).join(cases)}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -z $action && -n $actions ]]; then
    COMPREPLY=($(compgen -W "$actions" -- "$cur"))
  fi
}}
complete -o default -F _espalier espalier
"""


def zsh_quoted(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh(commands):
    out = ["#compdef espalier", "# Made from the --help of espalier.", "local -a commands options actions", "commands=("]
    out += [f"  '{name}:{zsh_quoted(tagline)}'" for name, tagline, *_ in commands]
    out += [")", "if (( CURRENT == 2 )); then", "  _describe command commands", "  return", "fi", "actions=()",
            "case $words[2] in"]
    for name, _, options, actions in commands:
        out.append(f"  {name})")
        if actions:
            out.append(f"    actions=({' '.join(actions)})")
        out.append("    options=(")
        seen = set()
        for option in options:
            for flag in option.flags:
                if flag in seen:
                    continue
                seen.add(flag)
                value = f":{zsh_quoted(option.value)}:_files" if option.value else ""
                out.append(f"      '{flag}[{zsh_quoted(option.help)}]{value}'")
        out += ["    ) ;;"]
    out += ["esac", "if (( CURRENT == 3 && $#actions )); then", "  _describe action actions", "fi",
            "_arguments -s $options '*:file:_files'"]
    return "\n".join(out) + "\n"


def fish(commands):
    quoted = lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    out = ["# Made from the --help of espalier."]
    for name, tagline, options, actions in commands:
        out.append(f"complete -c espalier -n __fish_use_subcommand -f -a {name} -d {quoted(tagline)}")
        seen = f"'__fish_seen_subcommand_from {name}'"
        for action in actions:
            out.append(f"complete -c espalier -n {seen} -a {action}")
        for option in options:
            words = []
            for flag in option.flags:
                words += ["-l", flag[2:]] if flag.startswith("--") else ["-s", flag[1:]]
            if words:
                value = ["-r"] if option.value else []
                out.append(" ".join(["complete -c espalier -n", seen, *words, *value, "-d", quoted(option.help)]))
    return "\n".join(out) + "\n"


def main():
    tool, folder, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    whole = sections_of(help_of(tool))
    names = []
    for line in dict(whole)["COMMANDS"]:
        if not line:
            break
        names.append(tuple(line.split(maxsplit=1)))
    pages = {"espalier": whole}
    commands = []
    for name, tagline in names:
        sections = sections_of(help_of(tool, [name]))
        pages[f"espalier-{name}"] = sections
        commands.append((name, tagline, options_of(sections), actions_of(name, sections)))
    written = {f"man/man1/{page}.1": man_page(page, sections, version, pages) for page, sections in pages.items()}
    written["bash-completion/completions/espalier"] = bash(commands)
    written["zsh/site-functions/_espalier"] = zsh(commands)
    written["fish/vendor_completions.d/espalier.fish"] = fish(commands)
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
