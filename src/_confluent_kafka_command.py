"""The command ``confluent-kafka``.

This module is outside of the package: Ctrl-C must not print a traceback while Python imports the
package, and Python imports a package before any module in it.
"""

import signal


def main() -> None:
    # The handler is another one if the program that started this one ignores the signal.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from confluent_kafka.__main__ import main

    main()
