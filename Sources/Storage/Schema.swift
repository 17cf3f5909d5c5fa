/// The tables of `station.sqlite`, as migrations that only add.
///
/// The number of migrations applied is the file's `user_version`, which each one sets at its end.
/// A migration creates tables and
/// indexes, or adds columns that have a default; it never renames, drops or reshapes, so that the
/// program before it can go on with the file. A file of a later program is opened as it is.
///
/// The comments inside the statements are kept by SQLite: `sqlite3 station.sqlite .schema` shows
/// them. Times are milliseconds since 1970-01-01T00:00:00Z, boot times nanoseconds of
/// CLOCK_BOOTTIME in the boot named beside them.
enum Schema {
    /// "PLGS": tells a station's file from any other SQLite database.
    static let applicationID: Int64 = 0x504C_4753

    static let migrations = [
        SQL(
            "first tables",
            """
            PRAGMA application_id = 0x504C4753;

            CREATE TABLE boot (
                -- The boots of the machine in which something was stored.
                id INTEGER PRIMARY KEY,
                boot_id TEXT NOT NULL UNIQUE    -- the kernel's random id of it
            ) STRICT;

            CREATE TABLE account (
                -- The accounts for which something was stored.
                id INTEGER PRIMARY KEY,
                sub TEXT NOT NULL UNIQUE        -- the token's sub
            ) STRICT;

            CREATE TABLE store (
                -- One row: what holds for the whole file. The counts are changed in the same
                -- transaction as the rows they count, so that no start has to count.
                id INTEGER PRIMARY KEY CHECK (id = 1),
                log TEXT NOT NULL,              -- UUIDv7 of the event log, made with the file
                boot INTEGER REFERENCES boot,   -- the boot in which outbox.held_until_ns counts
                last_seq INTEGER NOT NULL,      -- highest event.seq ever given
                last_ordinal INTEGER NOT NULL,  -- highest outbox.ordinal ever given
                last_cached INTEGER NOT NULL,   -- highest cache.ordinal ever given
                queued_scans INTEGER NOT NULL,  -- rows of outbox: kind scan, state queued
                attention INTEGER NOT NULL,     -- rows of outbox: state attention
                ended INTEGER NOT NULL,         -- rows of outbox with an ended_at
                cached INTEGER NOT NULL,        -- rows of cache
                settled INTEGER NOT NULL        -- commits made only to begin the log file anew
            ) STRICT;

            CREATE TABLE event (
                -- The event log: consecutive from its first row to store.last_seq.
                seq INTEGER PRIMARY KEY,        -- never reused
                at INTEGER NOT NULL,            -- when it happened, by the clock of that moment
                type TEXT NOT NULL,             -- scan, resolution, departure, …
                reader_id TEXT,                 -- for filters: the event's reader, if it has one
                reader_name TEXT,
                scan TEXT,                      -- the scan that caused it, if one did
                body TEXT NOT NULL              -- the JSON object as published, without its seq
            ) STRICT;

            CREATE TABLE outbox (
                -- What is to be delivered to the API, and what became of it.
                ordinal INTEGER PRIMARY KEY,    -- order of acceptance; never reused
                id TEXT NOT NULL UNIQUE,        -- the job's id; for a scan, the scan's
                kind TEXT NOT NULL,             -- scan, or a kind of work
                state TEXT NOT NULL,            -- queued, running, waiting, done, attention, …
                identifier TEXT,                -- instance key; its scans go in order
                account INTEGER REFERENCES account, -- of the token then; null matches all
                payload TEXT NOT NULL,          -- JSON: what to send
                origin TEXT NOT NULL,           -- JSON: who ordered it
                depends_on TEXT,                -- id of the job that must be done before
                at INTEGER NOT NULL,            -- when it was made, by the clock of that moment
                boot INTEGER NOT NULL REFERENCES boot,
                boot_ns INTEGER NOT NULL,       -- when it was made, in that boot
                clock_trusted INTEGER NOT NULL, -- 1 where at could be believed
                head INTEGER,                   -- 1: the oldest queued scan of its identifier
                                                -- and account; else null
                held_until_ns INTEGER,          -- not before this, in the boot store.boot
                attempts INTEGER NOT NULL DEFAULT 0,
                counted_failures INTEGER NOT NULL DEFAULT 0, -- while the API was proven up
                failing_ns INTEGER NOT NULL DEFAULT 0,  -- from the first of them to the last
                failed_boot INTEGER REFERENCES boot,
                failed_ns INTEGER,              -- when the last of them was
                error TEXT,                     -- of the last attempt
                error_code TEXT,                -- why it needs attention
                first_answer INTEGER,           -- event.seq of the scan's first resolution
                ended_at INTEGER                -- when it was done or given up
            ) STRICT;

            -- Finds what to send next, however many rows wait behind or are held.
            CREATE INDEX outbox_heads ON outbox (account, held_until_ns, ordinal, identifier)
                WHERE head = 1;
            -- Finds the oldest scan of one identifier; the ordinal, as rowid, ends every entry.
            CREATE INDEX outbox_scans ON outbox (identifier, account)
                WHERE kind = 'scan' AND state = 'queued';
            -- Finds what may be pruned.
            CREATE INDEX outbox_ended ON outbox (ended_at) WHERE ended_at IS NOT NULL;

            CREATE TABLE presence (
                -- Tags that lie on a reader now, or did when the station last looked.
                scan TEXT PRIMARY KEY,          -- the scan that opened it
                device TEXT NOT NULL,           -- the reader's id
                reader TEXT NOT NULL,           -- JSON: the reader as events name it
                medium TEXT NOT NULL,           -- nfc, qr, …
                uid TEXT,                       -- hexadecimal
                contents TEXT NOT NULL,         -- digest of the bytes that were read
                at INTEGER NOT NULL,
                boot INTEGER NOT NULL REFERENCES boot,
                boot_ns INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE cache (
                -- The API's last answer for an identifier.
                ordinal INTEGER PRIMARY KEY,    -- order of storing: the lowest goes first
                instance_key TEXT NOT NULL UNIQUE,
                account INTEGER REFERENCES account, -- whose answer it is; null matches all
                resolution TEXT NOT NULL,       -- JSON
                ttl_seconds INTEGER NOT NULL,
                at INTEGER NOT NULL,            -- when it was stored
                boot INTEGER NOT NULL REFERENCES boot,
                boot_ns INTEGER NOT NULL
            ) STRICT;

            PRAGMA user_version = 1;
            """),
        SQL(
            "histories of jobs",
            """
            -- The ordinal that a job was accepted with, where a person has put it to the tail.
            ALTER TABLE outbox ADD COLUMN accepted INTEGER;
            -- 1 where a later scan of its identifier was delivered before it.
            ALTER TABLE outbox ADD COLUMN superseded INTEGER;

            CREATE TABLE attempt (
                -- What came of the attempts at a job, and what people decided of it; the latest of
                -- each job. A delivery that succeeded is told by its row in outbox alone.
                job TEXT NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
                number INTEGER NOT NULL,        -- counts what happened to the job
                at INTEGER NOT NULL,
                result TEXT NOT NULL,           -- failed, attention, retried, discarded
                cause TEXT,                     -- what was answered, or what went wrong
                origin TEXT,                    -- JSON: who decided, where somebody did
                PRIMARY KEY (job, number)
            ) STRICT, WITHOUT ROWID;

            -- Lists what needs attention, however much else there is.
            CREATE INDEX outbox_attention ON outbox (ordinal) WHERE state = 'attention';
            -- Finds those that a delivery overtakes.
            CREATE INDEX outbox_refused ON outbox (identifier) WHERE state = 'attention';

            PRAGMA user_version = 2;
            """),
    ]
}
