"""A review sheet in the browser: opened as a file, driven by keys, its decisions saved."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from .visit import DESK, forget, paint, wait


def open_sheet(browser, path, folder):
    """Open a sheet that the browser has never seen; what it saves goes to a new folder."""
    folder.mkdir()
    browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    paint(browser, "light", DESK)
    forget(browser)
    browser.get(path.as_uri())
    begun(browser)
    browser.execute_script("localStorage.clear()")
    return again(browser)


def again(browser):
    """Load the sheet again."""
    browser.refresh()
    return begun(browser)


def begun(browser):
    """Wait for what a sheet reads in its first frame."""
    browser.execute_async_script(
        "const go = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => go()))"
    )
    return browser


def press(browser, *keys):
    ActionChains(browser).send_keys(*keys).perform()


def name(browser, reviewer):
    field = browser.find_element(By.ID, "reviewer")
    field.clear()
    field.send_keys(reviewer, Keys.TAB)


def saved(browser, path):
    """Press the button, and return the path of the file once it is there."""
    browser.find_element(By.ID, "save").click()
    for _ in range(100):
        if path.exists() and path.stat().st_size:
            break
        wait(browser, "return false", 0.1)
    return path
