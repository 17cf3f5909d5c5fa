#!/usr/bin/env python3
"""Puts virtual tags on virtual readers: tags.py --port P [FILE|-]. See README.md."""

import sys

from virtual_tags.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
