"""A call whose program is compiled."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str  # its first word is the primitive
    words: tuple = ()  # what the tool is told; empty: offline_plans knows the case by its name
    core: bool = False  # for all targets, not only for those that stand for a family
