"""Scripts/swift_text.py: a Swift file as lines of code and lines of comment, for the checks that read sources. Not a parser: strings and
comments are told apart, nothing else."""
import re

# A string of several lines, a raw string, a string, a comment of several lines, a comment to the end of the line.
TOKEN = re.compile(r'"""(?:\\.|[^\\])*?"""|#+"[^\n]*?"#+|"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)
# What is interpolated into a string is code.
INTERPOLATED = re.compile(r"\\#*\(([^\n]*)\)")


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


def without_strings(line):
    """A line of code whose strings are empty but for what is interpolated."""
    return TOKEN.sub(lambda token: '"' + " ".join(INTERPOLATED.findall(token.group())) + '"', line)
