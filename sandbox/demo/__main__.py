"""Shows the station at work; scripts/demo installs what this needs and starts it."""

import sys

from station_demo.command_line import main

sys.exit(main())
