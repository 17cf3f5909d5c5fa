#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast that Swift can't import: SQLite copies the bound bytes before it returns.
static inline sqlite3_destructor_type plings_sqlite_transient(void) { return SQLITE_TRANSIENT; }
