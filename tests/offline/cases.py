"""The calls whose programs are compiled, a spread of types and operators of every primitive, and what writes them."""
from dataclasses import dataclass
from pathlib import Path

import parts
import targets

CASES = parts.cases()


@dataclass(frozen=True)
class Programs:
    """The two programs that write sources and options."""
    tool: Path
    plans: Path

    def write(self, case, target, folder):
        if case.words:
            targets.run([self.tool, "emulate", target.architecture, "--dump", folder, *case.words])
        else:
            targets.run([self.plans, target.architecture, "--dump", folder, case.name])


def words_of(folder):
    """The -D choices of a program, without the prefix of names: {"ITEMS": "8", ...}."""
    words = (folder / "options.txt").read_text().replace("clwave_", "").split()
    return dict(word[2:].split("=", 1) for word in words if word.startswith("-D") and "=" in word)
