"""What a run of ctest came to: summary.py REPORT.xml CTEST-COMMAND

Reads the report of `ctest --output-junit` and prints, for each test that failed, the lines that say why and the command that
runs it alone, and, last, the count. The exit status is 0 when nothing failed.
"""

import re
import shlex
import sys
from xml.etree import ElementTree

LINES = 12  # of each test's output


def reason_lines(output):
    """From the first complaint on; where none is recognised, the end."""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if re.search(r": Failure$|^not ok|\b[Ee]rror\b|^failed:|Sanitizer", line):
            return lines[number : number + LINES]
    return lines[-LINES:]


report, ctest = sys.argv[1:]
passed, skipped, failed = 0, 0, []
for test in ElementTree.parse(report).getroot().iter("testcase"):
    reason = test.find("skipped")
    if test.get("status") == "run":
        passed += 1
    elif test.get("status") == "disabled" or (reason is not None and reason.get("message", "").startswith("SKIP_")):
        skipped += 1
    else:  # what could not be started, too
        failed.append((test.get("name"), test.findtext("system-out", "")))

if failed:
    print("\nFailed: why, and the command for each alone:")
for name, output in failed:
    for line in reason_lines(output):
        print(f"    {line}")
    print(f"  {ctest} --output-on-failure -R {shlex.quote('^' + re.escape(name) + '$')}")
print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
