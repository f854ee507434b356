"""Scripts/swift_text.py: a Swift file as lines of code and lines of comment, for the checks that read sources. Not a parser: strings and
comments are told apart, nothing else."""
import re

# A string of several lines, a raw string, a string, a comment of several lines, a comment to the end of the line.
TOKEN = re.compile(r'"""(?:\\.|[^\\])*?"""|#+"[^\n]*?"#+|"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)
OPENING = re.compile(r'(#*)("""|")|[()]')


def split(text):
    """The lines of code without comments, and the lines of the comments alone; both have as many lines as `text`."""
    comments, code, end = [], [], 0
    for token in TOKEN.finditer(text):
        code.append(text[end:token.start()])
        comments.append(re.sub(r"[^\n]", "", text[end:token.start()]))
        found = token.group()
        if found.startswith("/"):
            code.append(re.sub(r"[^\n]", "", found))
            comments.append(found)
        else:
            code.append(found)
            comments.append(re.sub(r"[^\n]", "", found))
        end = token.end()
    code.append(text[end:])
    comments.append(re.sub(r"[^\n]", "", text[end:]))
    return "".join(code).split("\n"), "".join(comments).split("\n")


def without_strings(code):
    """Code whose strings are empty but for what is interpolated, which is code again."""
    out, at = [], 0
    # What `at` is in: of a string its end and what begins an escape there, of an interpolation how many parentheses are open.
    inside = []
    while at < len(code):
        if not inside or isinstance(inside[-1], int):
            found = OPENING.search(code, at)
            out.append(code[at:found.start() if found else len(code)])
            if not found:
                break
            at = found.end()
            if found.group(2):
                inside.append((found.group(2) + found.group(1), "\\" + found.group(1)))
            elif inside:
                inside[-1] += 1 if found.group() == "(" else -1
                if inside[-1] == 0:
                    inside.pop()
                    out.append(" ")
                    continue
            out.append('"' if found.group(2) else found.group())
            continue
        end, escape = inside[-1]
        if code.startswith(end, at):
            inside.pop()
            out.append('"')
            at += len(end)
        elif code.startswith(escape + "(", at):
            inside.append(1)
            at += len(escape) + 1
        elif code.startswith(escape, at):
            at += len(escape) + 1
        else:
            # A string of one line ends with the line, whatever is wrong with it.
            if code[at] == "\n":
                out.append("\n")
                if len(end.rstrip("#")) == 1:
                    inside.pop()
            at += 1
    return "".join(out)
