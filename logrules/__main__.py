"""`python -m logrules`."""

import sys

from logrules.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
