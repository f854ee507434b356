"""Scripts/mutant_sites.py: where Signalbox's sources can be broken in one place, and how: the sites of Scripts/mutants. A file is read by its
brackets, statements and names, not by a whole grammar; comments and strings are respected."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True

# The folders that are broken, and what is left out in them: what only answers errors of the kernel, text for people, descriptions, what only
# measures, and what only tests call.
SCOPE = ["SignalboxLocks", "SignalboxWords/States", "SignalboxDispatch/Items", "SignalboxDispatch/Groups", "SignalboxDispatch/Lists",
         "SignalboxDispatch/Queues", "SignalboxDispatch/Workers", "SignalboxDispatch/Time", "SignalboxDispatch/Sources",
         "SignalboxDispatch/Events", "SignalboxDispatch/Inspection", "SignalboxClasses/Operations",
         "SignalboxWaits", "SignalboxObservers", "SignalboxDiagnosis"]
OUT_FILES = re.compile(r"/Report/|/Naming/|/Symbols/|\+Text\.swift|\+JSON\.swift|\+Description|Misuse|/ObjectText|/SourceRefusal|/LockStatistics"
                       r"|/StallReport|/LockOrderReport|/ThreadShortage|/Shortage")
OUT_FUNCTIONS = re.compile(r"^(?:description|debugDescription|brokenInvariant|identity|text|title|testsOnly_\w*|report\w*|describe\w*|refus\w*"
                           r"|stop[A-Z]\w*|fields|isNoticed|explain\w*|message\w*)$")
OUT_STATEMENTS = re.compile(r"\bDiagnosis\.above\?\.tell\b|\b(?:Misuse|LockMisuse|Deadlock|fatalError|precondition|preconditionFailure|assert|assertionFailure|print|"
                            r"checkInvariants|Reporting|errno)\b|\berror\b")

WAKES = {"wake", "wakeOne", "wakeGate", "wakeSleeper", "wakeSlow", "wakeLowHalf", "wakeIfNeeded", "wakeAfterReading", "workArrived", "tell",
         "tellTarget", "tellTargetKept", "tellHolders", "tellEnd", "tellDependents", "tellNow", "signal", "signalSlow", "signalEvent", "arrive",
         "openGate", "answer", "happen", "serveIfFree", "submitRunners", "submitShared", "putBack", "recheckAfterStop", "broadcast", "ring", "notify",
         "setAlarm", "retrySoon", "wakeAll", "wakeWriter", "wakeReaders"}
UNLOCKS = {"unlock", "unlockForAnybody", "unlockSlow", "storeOut", "readUnlock", "writeUnlock", "leaveReading", "leaveFree", "releaseHeld",
           "giveTurn", "giveBack", "givePlace", "endRound"}
COUNTS = {"retain", "release", "letGo"}
ORDERS = {  # what an operation becomes
    "loadAcquire": "loadRelaxed", "loadSeqCst": "loadAcquire", "storeRelease": "storeRelaxed", "storeSeqCst": "storeRelease",
    "casAcquire": "casRelaxed", "casRelease": "casRelaxed", "casAcqRel": "casRelaxed", "casSeqCst": "casAcqRel", "addSeqCst": "addRelaxed",
    "addAcqRel": "addRelaxed", "updateSeqCst": "update", "tryUpdateSeqCst": "tryUpdate", "tryUpdate": "tryUpdateAcquire",
    "exchangeSeqCst": "exchangeAcqRel", "exchangeAcqRel": "exchangeRelaxed",
}
DROPPED, WEAKENED, SWAPPED, UNCHECKED = "dropped wake", "weakened order", "swapped stores", "missing second check"
OFF_BY_ONE, UNCOUNTED, UNLOCKED, EARLY, NEGATED = (
    "off by one", "forgotten retain or release", "missing unlock", "early publish", "negated condition")
OPERATORS = {
    DROPPED: "a call that wakes, tells or signals is left out",
    WEAKENED: "an atomic operation has the next weaker memory order",
    SWAPPED: "two stores that follow each other, one of them atomic, change places",
    UNCHECKED: "the check after something was published is left out",
    OFF_BY_ONE: "a bound, a shift, a step or a comparison of a field is one off",
    UNCOUNTED: "a reference is not counted, or not given back",
    UNLOCKED: "a lock or a gate is not given back",
    EARLY: "what others wait for is published before the statement in front of it",
    NEGATED: "a condition at a change of state is the opposite",
}

PUBLISHES = re.compile(r"\.(?:store(?:Release|SeqCst)|exchange\w*|cas[A-Z]\w*|add(?:SeqCst|AcqRel)|orSeqCst|subtractSeqCst)\(")
STORES = re.compile(r"\.store(?:Relaxed|Release|SeqCst)?\(|\.(?:exchange|add|or)(?:SeqCst|AcqRel)\(")
CHANGES = re.compile(r"\.(?:store|exchange|cas|add|or|subtract)[A-Z]\w*\(|\b(?:set|update|updateSeqCst|change|tryUpdate\w*|moved\w*)\s*[({]"
                     r"|\b(?:append|insert|push|processWide|enlist|announce|link|register)\(")
ASSIGNS = re.compile(r"^[\w.?!\[\]()$ ]+?\s=\s(?!=)")
STATE = re.compile(r"\.exchanged\b|State\(|\.hint\(|\.load(?:Relaxed|Acquire|SeqCst)?\(|\bmoved\w*\b|\btryUpdate|\.exchange\w*\(|\[(?:Self|\w*State)\."
                   r"|\b(?:action|state|step|seen|ticket|outcome|generation|isEmpty)\b|\b(?:old|next|left)\.\w"
                   r"|\bis(?:Stopped|Owned|Full|Cancelled|Finished|Executing|Ready|Suspended|Awaited|Mine|Held|Writing)\b")
FIELDS = re.compile(r"\[(?:Self|\w*State|\w*Word)\.\w+\]|\b\w*State\.\w+|\badding\(")
NOT_EXPRESSIONS = re.compile(r"^(?:let|var|return|if|guard|while|for|switch|case|default|defer|do|repeat|throw|func|init|deinit|subscript|struct|class"
                             r"|enum|extension|protocol|import|typealias|break|continue|fallthrough|static|private|public|package|internal|fileprivate"
                             r"|final|override|open|mutating|nonisolated|indirect|convenience|required|weak|unowned|lazy|associatedtype|yield|#|@)(?!\w)")


def masked(text):
    """The text with blanks for what stands in comments and strings; as long as `text`."""
    out, i, n = list(text), 0, len(text)

    def blank(start, end):
        for k in range(start, end):
            if out[k] != "\n":
                out[k] = " "

    def string(i):
        """The end of the string that begins at i."""
        hashes = 0
        while text[i] == "#":
            hashes += 1
            i += 1
        quote = '"""' if text.startswith('"""', i) else '"'
        i += len(quote)
        close, escape = quote + "#" * hashes, "\\" + "#" * hashes
        while i < n:
            if text.startswith(close, i):
                return i + len(close)
            if text.startswith(escape + "(", i):
                i += len(escape) + 1
                depth = 1
                while i < n and depth:
                    if text[i] == '"':
                        i = string(i)
                        continue
                    depth += {"(": 1, ")": -1}.get(text[i], 0)
                    i += 1
            elif text.startswith(escape, i):
                i += len(escape) + 1
            else:
                i += 1
        return n

    while i < n:
        if text.startswith("//", i):
            end = text.find("\n", i)
            end = n if end < 0 else end
            blank(i, end)
        elif text.startswith("/*", i):
            depth, end = 1, i + 2
            while end < n and depth:
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            blank(i, end)
        elif text[i] == '"' or re.match(r'#+"', text[i:i + 8]):
            end = string(i)
            blank(i, end)
            out[i] = out[end - 1] = '"'
        else:
            end = i + 1
        i = end
    return "".join(out)


class Block:
    """What stands between two braces: what it is (type, function, accessor, closure, control), whose, and its statements."""

    def __init__(self, kind, name, header, start, parent):
        self.kind, self.name, self.header, self.start, self.parent = kind, name, header, start, parent
        self.end, self.statements = None, []

    def around(self, *kinds):
        """The nearest block of these kinds, from this one outwards."""
        block = self
        while block and block.kind not in kinds:
            block = block.parent
        return block

    def inside(self, test):
        block = self
        while block:
            if test(block):
                return True
            block = block.parent
        return False


class Statement:
    """One statement: where it stands, its text without comments, and the same with everything in brackets taken out."""

    def __init__(self, start, end, code, skeleton, block):
        self.start, self.end, self.code, self.skeleton, self.block = start, end, code, skeleton, block

    @property
    def is_one_line(self):
        return "\n" not in self.code

    @property
    def is_expression(self):
        return not NOT_EXPRESSIONS.match(self.code)

    @property
    def last_call(self):
        """The name of the last call outside of brackets, with its receiver."""
        found = re.findall(r"([\w.?!()\[\]]*?)\b(\w+)(?=\(\)|\s?\{\})", re.sub(r"^_ = ", "", self.skeleton))
        return found[-1] if found and re.search(r"(?:\(\)|\{\})$", self.skeleton) else ("", "")


CLOSURE_HEAD = re.compile(r"\{\s*(?:\[[^\]\n]*\]\s*)?(?:\([^{}\n]*?\)|[\w, ]+)?(?:\s*(?:async\s*)?(?:throws(?:\(\w+\))?\s*)?->\s*[^{}\n]+?)?\s+in\b")
GOES_ON = re.compile(r"(?:[.?:+*/|<>=,)\]{]|&&|&[+-]|- |!=|else\b|where\b|catch\b)")
GOES_ON_AFTER = re.compile(r"(?:[=+\-*/|&?:,(\[<]|->|\belse|\bin\b\s*=)$")


def parse(code):
    """The outermost block of masked code, with all blocks within."""
    root = Block("file", "", "", 0, None)
    blocks = []

    def block(i, header, parent):
        """Reads the block whose brace stands at i; its end."""
        own = Block(*kind_of(header), header, i, parent)
        blocks.append(own)
        head = CLOSURE_HEAD.match(code, i) if own.kind == "closure" else None
        i = statements(head.end() if head else i + 1, own)
        own.end = i
        return i + 1

    def statements(i, own):
        """Reads statements up to the brace that closes the block; its place."""
        while i < len(code):
            if code[i] in " \t\n;":
                i += 1
            elif code[i] == "}":
                return i
            else:
                i = statement(i, own)
        return i

    def statement(start, own):
        skeleton, depth, i = [], 0, start
        label = re.match(r"(?:case|default|@unknown default)\b", code[start:start + 20])
        while i < len(code):
            c = code[i]
            if c == "{":
                parent = own
                end = block(i, code[start:i], parent)
                if depth == 0:
                    skeleton.append("{}")
                i = end
                continue
            if c in "([":
                if depth == 0:
                    skeleton.append(c)
                depth += 1
            elif c in ")]":
                depth -= 1
                if depth == 0:
                    skeleton.append(c)
            elif c == "}":
                break
            elif depth == 0 and c == ";":
                break
            elif depth == 0 and label and c == ":":
                i += 1
                break
            elif depth == 0 and c == "\n":
                rest = re.compile(r"\s*").match(code, i).end()
                so_far = code[start:i].rstrip()
                if so_far.startswith("#") or so_far.startswith("@") and so_far.endswith(")") and not GOES_ON.match(code, rest):
                    break
                if not (GOES_ON.match(code, rest) or GOES_ON_AFTER.search(so_far)):
                    break
                if code.startswith("{", rest) and skeleton and "{}" in skeleton:
                    break
                skeleton.append(" ")
            elif depth == 0:
                skeleton.append(c)
            i += 1
        end = start + len(code[start:i].rstrip())
        own.statements.append(Statement(start, end, code[start:end], "".join(skeleton).strip(), own))
        return max(i, start + 1)

    root.end = statements(0, root)
    return root, blocks


def kind_of(header):
    """What the block behind a header is, and its name."""
    flat = re.sub(r"\([^()]*\)", "()", re.sub(r"\([^()]*\)", "()", header))
    last = flat.split("}")[-1].strip()
    word = re.match(r"(if|else|guard|while|for|switch|do|catch|defer|repeat)\b", last)
    if word and not (last.count("(") != last.count(")")):
        return ("catch" if word.group(1) == "catch" else "control"), word.group(1)
    found = re.search(r"(?:^|\s)(func|init|deinit|subscript)\b[?!]?\s*([\w]*|[^\w\s(<]+)", flat)
    if found and "=" not in flat.split("func")[0].replace("==", ""):
        return "function", found.group(2) or found.group(1)
    found = re.search(r"(?:^|\s)(?:struct|class|enum|extension|protocol|actor)\s+(?!func\b|var\b|let\b)([\w.]+)", flat)
    if found:
        return "type", found.group(1)
    found = re.search(r"(?:^|\s)var\s+(\w+)\s*:[^=]*$", flat)
    if found:
        return "accessor", found.group(1)
    if re.fullmatch(r"\s*(?:@\w+(?:\(\w+\))?\s+)*(?:mutating\s+|nonmutating\s+)?(get|set|willSet|didSet|_read|_modify)(?:\(\))?\s*", flat):
        return "get", ""
    return "closure", ""


class Site:
    """One place that can be broken: an edit that keeps the line's number, and what it does."""

    def __init__(self, path, text, start, end, operator, change, function, prefix="", suffix="", replacement=None):
        self.path, self.start, self.end, self.operator, self.change, self.function = path, start, end, operator, change, function
        self.prefix, self.suffix, self.replacement = prefix, suffix, replacement
        self.line = text.count("\n", 0, start) + 1
        self.last_line = text.count("\n", 0, end) + 1
        self.code = re.sub(r"\s*//.*$", "", text.split("\n")[self.line - 1]).strip()
        self.number = None

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    @property
    def key(self):
        """What the site is called where lines may move: file, function, operator, change and the line's text."""
        return (f"{self.path} {self.function}", self.operator, self.change, self.code)


def blanks(text):
    return re.sub(r"\s+", " ", text).strip()


def negative_clauses(code, start, stop):
    """The parts between the commas of a condition, by their places."""
    depth, begin, parts = 0, start, []
    for i in range(start, stop):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
        elif code[i] == "," and depth == 0:
            parts.append((begin, i))
            begin = i + 1
    parts.append((begin, stop))
    for begin, end in parts:
        while begin < end and code[begin].isspace():
            begin += 1
        while end > begin and code[end - 1].isspace():
            end -= 1
        yield begin, end


def condition_of(statement, code):
    """Where the condition of an if or a guard stands; None for another statement."""
    word = re.match(r"(if|guard)\s+", statement.code)
    if not word:
        return None
    begin, depth = statement.start + word.end(), 0
    for i in range(begin, statement.end):
        if code[i] in "([":
            depth += 1
        elif code[i] in ")]":
            depth -= 1
        elif depth == 0 and word.group(1) == "if" and code[i] == "{":
            return word.group(1), begin, i
        elif depth == 0 and word.group(1) == "guard" and re.match(r"else\b", code[i:i + 5]) and not code[i - 1].isalnum():
            return word.group(1), begin, i
    return None


class File:
    """A source file and its sites."""

    def __init__(self, path, text, states):
        self.path, self.text, self.states = path, text, states
        self.code = masked(text)
        self.root, self.blocks = parse(self.code)
        self.sites, self.taken = [], []

    def function(self, block):
        own = block.around("function", "accessor")
        return own.name if own else "-"

    def is_out(self, block):
        return block.inside(lambda b: b.kind == "catch" or b.kind in ("function", "accessor") and OUT_FUNCTIONS.match(b.name) is not None)

    def is_state(self, block):
        own = block.around("type")
        return bool(own) and (own.name in self.states or bool(re.search(r"\b(?:PackedWord|WordState)\b", own.header)))

    def add(self, block, start, end, operator, change, **edit):
        self.sites.append(Site(self.path, self.text, start, end, operator, change, self.function(block), **edit))

    def find(self):
        for block in [self.root] + self.blocks:
            if self.is_out(block):
                continue
            for n, statement in enumerate(block.statements):
                if OUT_STATEMENTS.search(statement.skeleton.split("{}")[0]):
                    continue
                before = block.statements[max(0, n - 3):n]
                if block.around("function", "accessor", "closure"):
                    self.find_calls(block, statement)
                    self.find_pair(block, statement, block.statements[n + 1] if n + 1 < len(block.statements) else None)
                    self.find_conditions(block, statement, before)
                self.find_answers(block, statement)
        self.find_words()
        unique, seen = [], set()
        for site in sorted(self.sites, key=lambda site: (site.start, -site.end, site.operator)):
            if (site.start, site.end, site.operator, site.change) not in seen:
                seen.add((site.start, site.end, site.operator, site.change))
                unique.append(site)
        self.sites = unique
        nth = {}
        for site in unique:  # the second such change of a line or function says so
            nth[site.key] = nth.get(site.key, 0) + 1
            if nth[site.key] > 1:
                site.change += f" (number {nth[site.key]})"

    def is_result(self, block, statement):
        """Whether the statement is the value of its function."""
        if re.match(r"(?:get|set|willSet|didSet|_read|_modify)\b\s*(?:\{|\()", statement.code):
            return True  # an accessor, not a call
        if len(block.statements) != 1 or not statement.is_expression:
            return False
        if block.kind in ("accessor", "get"):
            return True
        if block.kind == "closure" and block.parent:
            outer = self.statement_at(block.parent, block.start)
            return outer is not None and (not outer.is_expression or bool(ASSIGNS.match(outer.code)))
        return block.kind == "function" and re.search(r"->\s*(?!Never|Void|\(\))", block.header) is not None

    def find_calls(self, block, statement):
        if not statement.is_expression or ASSIGNS.match(statement.code) and not statement.code.startswith("_ = ") or self.is_result(block, statement):
            return
        receiver, name = statement.last_call
        receiver = receiver.rstrip(".?!")
        is_lock = "Locks/" in self.path and receiver in ("", "self", "lock", "inner") or re.search(r"[lL]ock$|storage$|core$|gate$", receiver) is not None
        operator = None
        if name in COUNTS:
            operator = UNLOCKED if is_lock and name == "release" and "Unmanaged" not in statement.code else UNCOUNTED
        elif name in UNLOCKS:
            operator = UNLOCKED
        elif name in WAKES and not receiver.startswith("Deadlock") and not ("Cycles" in self.path or "Waits" in self.path and name == "tell"):
            operator = DROPPED
        elif name in ("storeRelease", "storeSeqCst") and re.search(r"(?:^|\.)(?:gate|baton|busy|guard|locked)$", receiver):
            if re.search(r"\(0\)$", statement.code):
                operator = UNLOCKED
        if operator:
            self.add(block, statement.start, statement.end, operator, f"`{short(statement.code)}` left out",
                     prefix="if !signalbox_mutant(@) { ", suffix=" }")

    def find_pair(self, block, first, second):
        if second is None or not (first.is_one_line and second.is_one_line) or block.kind == "accessor" and self.is_result(block, second):
            return
        if self.code.count("\n", first.end, second.start) > 1 + self.comment_lines(first.end, second.start) or ";" in self.code[first.end:second.start]:
            return
        if "\n" not in self.code[first.end:second.start]:
            return
        if not first.is_expression and not re.match(r"if\b(?!.*\b(?:let|var|case)\b)", first.code) or not second.is_expression:
            return
        if re.search(r"\b(?:return|break|continue|throw)\b", first.code) or OUT_STATEMENTS.search(second.skeleton):
            return
        stores = lambda s: bool(STORES.search(s.code)) or bool(ASSIGNS.match(s.code)) and not s.code.startswith("_ = ")
        publishes = bool(PUBLISHES.search(second.code)) or second.last_call[1] in WAKES
        if stores(first) and stores(second) and (STORES.search(first.code) or STORES.search(second.code)):
            operator = SWAPPED
        elif publishes:
            operator = EARLY
        else:
            return
        if any(start < second.end and first.start < end for start, end in self.taken):
            return  # of three in a row the first two
        self.taken.append((first.start, second.end))
        a, b = self.text[first.start:first.end], self.text[second.start:second.end]
        self.add(block, first.start, second.end, operator, f"`{short(b)}` before `{short(a)}`",
                 prefix=f"if signalbox_mutant(@) {{ {b}; {a} }} else {{ ", suffix=" }")

    def comment_lines(self, start, end):
        lines = self.text[start:end].split("\n")[1:-1]
        return sum(1 for line in lines if line.strip().startswith("//"))

    def find_conditions(self, block, statement, before):
        found = condition_of(statement, self.code)
        if not found:
            return
        word, begin, end = found
        clauses = [(a, b) for a, b in negative_clauses(self.code, begin, end)
                   if not re.match(r"(?:let|var|case|#|_\s*=)", self.code[a:b].lstrip())]
        whole = self.code[begin:end]
        state = self.is_state(block) or block.inside(lambda b: b.kind == "function" and b.name.startswith("after"))
        for a, b in clauses:
            if state or STATE.search(self.code[a:b]):
                if "Instruments.areOff" in self.code[a:b]:
                    continue
                self.add(block, a, b, NEGATED, f"not `{short(self.text[a:b])}`", prefix="signalbox_mutant(@) != (", suffix=")")
        published = [s for s in before if s.block is block and CHANGES.search(s.code)]
        if not published or "Instruments.areOff" in whole or "keep" in whole:
            return
        body = self.code[end:statement.end]
        if word == "if" and (re.search(r"\breturn\b", body) or any(re.search(rf"\b{name}\s*[({{]", body) for name in WAKES)):
            if re.search(r"\breturn\b", body) and not re.search(r"[.(]|\w+[A-Z]\w*", whole):
                return
            if re.search(r"\.exchanged\b|^\s*\w+\s*$|\bEnvironment\b", whole):
                return  # the result of the very step, not a second check
            self.add(block, begin, end, UNCHECKED, f"`if {short(self.text[begin:end])}` left out", prefix="!signalbox_mutant(@), ", suffix="")

    def find_answers(self, block, statement):
        """Facts of a state that are one expression."""
        if not self.is_state(block) or block.kind not in ("accessor", "function") or len(block.statements) != 1 or not statement.is_expression:
            return
        if re.search(r":\s*Bool\s*$|->\s*Bool\s*$", block.header.strip()):
            self.add(block, statement.start, statement.end, NEGATED, f"not `{short(statement.code)}`", prefix="signalbox_mutant(@) != (", suffix=")")

    def block_at(self, place):
        inner = self.root
        for block in self.blocks:
            if block.start < place < (block.end or 0) and block.start >= inner.start:
                inner = block
        return inner

    def statement_at(self, block, place):
        for statement in block.statements:
            if statement.start <= place < statement.end:
                return statement
        return None

    def find_words(self):
        for found in re.finditer(r"\.(\w+)(\(|\s?\{)", self.code):
            name = found.group(1)
            if name not in ORDERS and name not in ("passRetained", "takeRetainedValue"):
                continue
            block = self.block_at(found.start())
            if self.is_out(block) or not block.around("function", "accessor", "closure"):
                continue
            statement = self.statement_at(block, found.start())
            if statement and OUT_STATEMENTS.search(statement.skeleton.split("{}")[0]):
                continue
            start, end = found.start(1), found.end()
            opening = found.group(2).strip()
            if opening == "{":
                edit = f"{name}Or(@) {{"
            else:
                edit = f"{name}Or(@" + ("" if self.code[end] == ")" else ", ")
            operator = WEAKENED if name in ORDERS else UNCOUNTED
            change = f"`{name}` is `{ORDERS.get(name, name.replace('Retained', 'Unretained'))}`"
            self.add(block, start, end, operator, change, replacement=edit)
        for found in re.finditer(r"\bField\((\d+)\.\.<(\d+)\)", self.code):
            low, high = int(found.group(1)), int(found.group(2))
            block = self.block_at(found.start())
            if "fields" in (self.function(block),) or re.search(r"\bfields\b", self.code[self.code.rfind("\n", 0, found.start()):found.start()]) or \
                    self.text[self.text.rfind("\n", 0, found.start()):found.start()].lstrip().startswith('("'):
                continue
            if high - low > 1:
                self.literal(block, found.start(2), found.end(2), high - 1, f"`{found.group()}`")
            elif low > 0:
                self.add(block, found.start(1), found.end(2), OFF_BY_ONE, f"`{found.group()}` one lower",
                         prefix=f"signalbox_mutant(@) ? {low - 1}..<{high - 1} : ", suffix="")
        patterns = [(r"(?:(?<=\s)|(?<=&))([+\-]) (\d+)\b(?![.\w])", lambda n: n - 1 if n == 1 else n + 1),
                    (r"(?<![\w.])1 << ()(\d+)\b(?![.\w])", lambda n: n + 1),
                    (r"(==|!=|>=|<=|(?<![-<])>|<(?!<)) (\d+)\b(?![.\w])", lambda n: n + 1),
                    (r"\badding\([\w.]+(,) (\d+)\)", lambda n: n + 1)]
        for pattern, change in patterns:
            for found in re.finditer(pattern, self.code):
                block = self.block_at(found.start(2))
                if self.is_out(block):
                    continue
                line = self.code[self.code.rfind("\n", 0, found.start()) + 1:self.code.find("\n", found.end())]
                if not (self.is_state(block) or FIELDS.search(line)) or re.search(r"^\s*case\b", line) and "->" in line:
                    continue
                if OUT_STATEMENTS.search(re.sub(r'"[^"]*"', "", line)):
                    continue
                self.literal(block, found.start(2), found.end(2), change(int(found.group(2))), f"`{blanks(self.around(found.start(), found.end(2)))}`")

    def around(self, start, end):
        """The words of an operator's left side as well, so that a person finds the place."""
        begin = start
        line = self.code.rfind("\n", 0, start) + 1
        while begin > line and self.code[begin - 1] not in "(,{?:&|" and start - begin < 40:
            begin -= 1
        return self.text[begin:end]

    def literal(self, block, start, end, value, what):
        self.add(block, start, end, OFF_BY_ONE, f"{what} with {value}", prefix=f"(signalbox_mutant(@) ? {value} : ", suffix=")")

    def rendered(self, sites):
        """The file with these sites in it; every line keeps its number."""
        events = []
        for site in sites:
            number = str(site.number)
            if site.replacement is not None:
                events.append((site.start, 2, 0, site.end, site.replacement.replace("@", number)))
            else:
                events.append((site.start, 1, -site.end, site.start, site.prefix.replace("@", number)))
                events.append((site.end, 0, -site.start, site.end, site.suffix.replace("@", number)))
        out, at = ["public import CSignalboxMutants; " if "@inlinable" in self.text else "import CSignalboxMutants; "], 0
        for place, _, _, end, insertion in sorted(events, key=lambda e: e[:3]):
            out.append(self.text[at:place])
            out.append(insertion)
            at = max(at, end)
        out.append(self.text[at:])
        return "".join(out)


def short(text):
    text = blanks(text)
    return text if len(text) <= 60 else text[:57] + "..."


def state_types(root):
    """The names of the types that are packed words."""
    names = set()
    for path in sorted((root / "Sources").rglob("*.swift")):
        for found in re.finditer(r"\b(?:struct|extension)\s+(\w+)\s*:[^{\n]*\b(?:PackedWord|WordState)\b", path.read_text()):
            names.add(found.group(1))
    return names


def find_sites(root):
    """All files in scope with their sites. Each file has its own thousand of numbers: a new site leaves those of other files alone."""
    states, files = state_types(root), []
    for folder in SCOPE:
        for path in sorted((root / "Sources" / folder).rglob("*.swift")):
            name = str(path.relative_to(root))
            if OUT_FILES.search(name):
                continue
            file = File(name, path.read_text(), states)
            file.find()
            for place, site in enumerate(file.sites, 1):
                site.number = 1000 * (len(files) + 1) + place
            files.append(file)
    return files
