"""The demonstration of the station: its parts started, tags tapped, events shown and checked."""
