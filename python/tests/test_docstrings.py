"""The examples of all docstrings, run."""

import doctest

import numpy as np
import pytest

import clwave


def documented():
    for name in clwave.__all__:
        thing = getattr(clwave, name)
        text = thing.__doc__ or ""
        if ">>>" in text:
            yield name, text
    yield "clwave", clwave.__doc__


@pytest.mark.parametrize("name, text", list(documented()), ids=[name for name, _ in documented()])
def test_examples(name, text):
    test = doctest.DocTestParser().get_doctest(text, {"np": np, "clwave": clwave}, name, None, None)
    said = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


def test_every_call_says_what_it_does():
    plain = [name for name in clwave.__all__ if callable(getattr(clwave, name)) and not getattr(clwave, name).__doc__]
    assert not plain
