"""`python -m marker_hub` is the command `marker`."""

import sys

from marker_hub.cli import main

sys.exit(main())
