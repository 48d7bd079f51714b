"""Functions that run as another account of the machine."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")
NOBODY = 65534


def as_another_account(call: Callable[[], T]) -> T:
    """Call a function in a new process of the account `nobody`, and return the function's value. Skip the test unless
    root runs it. The new process is forked and starts no program, so the call works even if `nobody` cannot read the
    checkout."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("needs root, to run something as another account")
    output, input_ = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            with open(input_, "wb") as file:
                pickle.dump(call(), file)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(input_)
    with open(output, "rb") as file:
        content = file.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, "the function has failed as another account"
    found: T = pickle.loads(content)
    return found
