"""What a run of ctest came to: summary.py REPORT.xml CTEST-COMMAND

Reads the report of `ctest --output-junit` and prints, for each test that failed, the command that runs it alone, and, last, the
count. The exit status is 0 when nothing failed.
"""

import re
import shlex
import sys
from xml.etree import ElementTree

report, ctest = sys.argv[1:]
passed, skipped, failed = 0, 0, []
for test in ElementTree.parse(report).getroot().iter("testcase"):
    reason = test.find("skipped")
    if test.get("status") == "run":
        passed += 1
    elif test.get("status") == "disabled" or (reason is not None and reason.get("message", "").startswith("SKIP_")):
        skipped += 1
    else:  # what could not be started, too
        failed.append(test.get("name"))

if failed:
    print("\nFailed; each alone, with its output:")
for name in failed:
    print(f"  {ctest} --output-on-failure -R {shlex.quote('^' + re.escape(name) + '$')}")
print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
