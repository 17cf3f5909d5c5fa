#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast that Swift can't import: SQLite copies the bound bytes before it
/// returns.
static inline sqlite3_destructor_type plings_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// sqlite3_db_config is variadic. With `leave` the last close does not copy the log back into the
/// database.
static inline int plings_sqlite_leave_log_at_close(sqlite3 *connection, int leave) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave, (int *)0);
}
