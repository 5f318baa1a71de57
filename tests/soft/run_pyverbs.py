# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# usage: run_pyverbs.py TESTS WORK
#
# Runs the tests of rdma-core that are in the folder TESTS on softhca0, but not those of one vendor's devices. Prints a
# line for each: "pass ID", "skip ID REASON" or "fail ID ERROR", with tabs. WORK is an empty folder.

import gzip
import os
import shutil
import sys
import unittest

ADDRESS = '198.18.0.1'
OF_VENDORS = ('test_mlx5', 'test_efa', 'test_cuda')


class Result(unittest.TestResult):
    def say(self, what, test, text=''):
        print(what, test.id(), ' '.join(text.split()), sep='\t', flush=True)

    def addSuccess(self, test):
        self.say('pass', test)

    def addSkip(self, test, reason):
        self.say('skip', test, reason)

    def addError(self, test, err):
        self.say('fail', test, f'{err[0].__name__}: {err[1]}')

    addFailure = addError


# Debian compresses what is below /usr/share/doc.
def unpack(source, to):
    os.mkdir(to)
    for name in os.listdir(source):
        if name.startswith(OF_VENDORS) or not name.endswith(('.py', '.py.gz')):
            continue
        reader = gzip.open if name.endswith('.gz') else open
        with reader(os.path.join(source, name), 'rb') as f, \
                open(os.path.join(to, name.removesuffix('.gz')), 'wb') as out:
            shutil.copyfileobj(f, out)


def main():
    folder, work = sys.argv[1:]
    sys.argv[1:] = ['--dev', 'softhca0', '--gid', '0']
    unpack(folder, os.path.join(work, 'tests'))
    sys.path[:0] = [work, os.path.join(work, 'tests')]
    from args_parser import parser
    parser.parse_args()
    import tests
    from tests.base import RDMATestCase

    # they ask "ip" for the address of the net device, and the emulated device has none
    def add(self, dev, port, gid):
        self.args.append([dev, port, gid, ADDRESS, None])

    RDMATestCase._get_ip_mac = add
    unittest.defaultTestLoader.loadTestsFromModule(tests).run(Result())


main()
