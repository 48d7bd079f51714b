"""Random actions on the web page agree with a model of the page. `benchmarks.page_actions` does more of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.browsers.random_actions import act_at_random

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ACTIONS = 80


@pytest.mark.long
def test_random_actions(browser: Browser, site_address: str) -> None:
    act_at_random(browser, site_address, 1, ACTIONS)
