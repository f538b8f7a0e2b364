"""`python -m drydock_trainer` is the command `drydock-trainer`."""

import sys

from drydock_trainer.cli import main

sys.exit(main())
