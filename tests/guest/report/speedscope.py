#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What speedscope shows of files, in Chromium: for each, its profiles with their totals and
the rows of its sandwich view, as text; one JSON value. For report.test, which may run with
another Python than Debian's Selenium.

usage: speedscope.py SITE FILE..."""

import base64
import json
import os
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

# As high as a table may be: what is below the window's edge is not in the document.
WINDOW = "1300,40000"
# The heads of tables, and their other rows: of the profiles, if there are several, and of
# the view, which has its head in a table of its own and may still be without rows.
HEADS = "return Array.from(document.querySelectorAll('th'), c => c.innerText)"
ROWS = ("return Array.from(document.querySelectorAll('table')).filter(t => "
        "arguments[0] == !!(t.tHead && t.tHead.textContent.includes('Total Weight')))"
        ".flatMap(t => Array.from(t.rows, "
        "r => Array.from(r.querySelectorAll('td'), c => c.innerText)))"
        ".filter(r => r.length)")


def browser():
    options = webdriver.ChromeOptions()
    for arg in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                "--window-size=" + WINDOW, "--disable-background-networking",
                "--disable-component-update"):
        options.add_argument(arg)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


def view(driver, wait):
    """The rows of the sandwich view, which come a little later than its head."""
    seen = [None]

    def is_there(_):
        before, seen[0] = seen[0], driver.execute_script(ROWS, False)
        return seen[0] and seen[0] == before

    if "Symbol Name" not in driver.execute_script(HEADS):
        ActionChains(driver).send_keys("3").perform()
        wait.until(lambda d: "Symbol Name" in d.execute_script(HEADS))
    wait.until(is_there)
    return seen[0]


def shown(driver, site, file, work):
    load = os.path.join(work, "load.js")
    with open(file, "rb") as f:
        data = base64.b64encode(f.read()).decode()
    with open(load, "w") as f:
        f.write("speedscope.loadFileFromBase64(%s, %s)" % (
            json.dumps(os.path.basename(file)), json.dumps(data)))
    driver.get("about:blank")
    driver.get("file://%s/index.html#localProfilePath=%s" % (site, load))
    name = os.path.splitext(os.path.basename(file))[0]
    wait = WebDriverWait(driver, 120)
    wait.until(lambda d: name in d.title and d.find_elements("css selector", "canvas"))
    views = [view(driver, wait)]
    profiles = driver.execute_script(ROWS, True)
    for i in range(1, len(profiles)):
        ActionChains(driver).send_keys("n").perform()
        place = "(%d/%d)" % (i + 1, len(profiles))
        wait.until(lambda d, p=place: p in d.execute_script("return document.body.innerText"))
        views.append(view(driver, wait))
    return {"profiles": profiles, "views": views,
            "errors": [e["message"] for e in driver.get_log("browser")
                       if e["level"] == "SEVERE"]}


def main():
    driver = browser()
    try:
        with tempfile.TemporaryDirectory() as work:
            print(json.dumps([shown(driver, sys.argv[1], file, work) for file in sys.argv[2:]]))
    finally:
        driver.quit()


main()
