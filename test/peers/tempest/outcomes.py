"""Reads the stream of a run of tests (subunit) and prints one line of JSON for each test that ended."""

import json
import sys

import subunit
import testtools


def tell(test):
    if test['status'] == 'exists':
        return
    details = test['details']
    text = '\n'.join(detail.as_text() for name, detail in details.items() if 'traceback' in name)
    reason = details['reason'].as_text() if 'reason' in details else ''
    started, ended = test['timestamps']
    seconds = (ended - started).total_seconds() if started and ended else 0
    line = {'id': test['id'], 'status': test['status'], 'text': text or reason, 'seconds': seconds}
    print(json.dumps(line), flush=True)


result = testtools.StreamToDict(tell)
result.startTestRun()
subunit.ByteStreamToStreamResult(sys.stdin.buffer, non_subunit_name='output').run(result)
result.stopTestRun()
