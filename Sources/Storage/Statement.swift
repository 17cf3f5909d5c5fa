internal import CSQLite

/// A statement's text and the name that errors give it; both are literals of the program.
struct SQL: Sendable {
    let name: StaticString
    let text: String

    init(_ name: StaticString, _ text: StaticString) {
        self.name = name
        self.text = "\(text)"
    }
}

/// A value to bind; it never appears in an error.
enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    /// Bytes that are UTF-8 already, JSON above all.
    case utf8([UInt8])

    init(_ value: Int64?) { self = value.map(Self.integer) ?? .null }
    init(_ value: String?) { self = value.map(Self.text) ?? .null }
}

/// A prepared statement that finalizes itself.
///
/// A class and not a noncopyable struct: what holds several of them has an initialiser that throws
/// half-way, which the compiler allows for copyable members only.
///
/// Every run resets it at the end, so no statement holds a read transaction open.
final class Statement {
    private let pointer: OpaquePointer
    private let name: StaticString

    init(owning pointer: OpaquePointer, name: StaticString) {
        self.pointer = pointer
        self.name = name
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    /// Runs it to its end; rows are passed over.
    func run(_ values: [SQLValue] = []) throws(StorageError) {
        try forEach(values) { _ throws(StorageError) in true }
    }

    /// Runs it to its end and reads the first row.
    ///
    /// The rest is stepped through too: SQLite applies a RETURNING statement wholly before its
    /// first row, but ends it only with the last.
    func first<Result>(
        _ values: [SQLValue] = [], _ read: (borrowing Row) -> Result
    ) throws(StorageError) -> Result? {
        var result: Result?
        try forEach(values) { row throws(StorageError) in
            if result == nil { result = read(row) }
            return true
        }
        return result
    }

    /// Hands out each row until the body says false.
    func forEach(
        _ values: [SQLValue], _ body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try withBound(values[...]) {
            defer {
                sqlite3_reset(pointer)
                sqlite3_clear_bindings(pointer)
            }
            return Result { () throws(StorageError) in try step(body) }
        }.get()
    }

    private func step(
        _ body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        while true {
            switch sqlite3_step(pointer) {
            case SQLITE_ROW: guard try body(Row(pointer)) else { return }
            case SQLITE_DONE: return
            default: throw failure()
            }
        }
    }

    /// Binds each value inside the one before, so that all live until the statement has run.
    ///
    /// SQLite need not copy them then. A slice's index is one less than the parameter's number.
    private func withBound(
        _ values: ArraySlice<SQLValue>, _ run: () -> Result<Void, StorageError>
    ) -> Result<Void, StorageError> {
        guard let value = values.first else { return run() }
        let index = Int32(values.startIndex + 1)
        func next(_ code: Int32) -> Result<Void, StorageError> {
            code == SQLITE_OK ? withBound(values.dropFirst(), run) : .failure(failure())
        }
        switch value {
        case .null:
            return next(sqlite3_bind_null(pointer, index))
        case .integer(let integer):
            return next(sqlite3_bind_int64(pointer, index, integer))
        case .text(var text):
            return text.withUTF8 { next(bind($0, at: index)) }
        case .utf8(let bytes):
            return bytes.withUnsafeBufferPointer { next(bind($0, at: index)) }
        }
    }

    private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
        // Without a base address SQLite would bind NULL, which an empty text is not.
        guard let start = bytes.baseAddress else {
            return sqlite3_bind_text(pointer, index, "", 0, plings_sqlite_transient())
        }
        // No destructor is SQLITE_STATIC: the bytes stay where they are while SQLite needs them.
        return UnsafeRawPointer(start).withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            sqlite3_bind_text(pointer, index, $0, Int32(bytes.count), nil)
        }
    }

    private func failure() -> StorageError {
        let handle = sqlite3_db_handle(pointer)
        return StorageError(
            step: name, code: sqlite3_extended_errcode(handle),
            systemCode: sqlite3_system_errno(handle))
    }
}

/// The row a statement stands on, lent for the time of a closure.
struct Row: ~Copyable {
    private let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    borrowing func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(pointer, column) == SQLITE_NULL
    }

    borrowing func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(pointer, column)
    }

    borrowing func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    borrowing func text(_ column: Int32) -> String {
        withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    borrowing func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    borrowing func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    /// How long a text is, in bytes of UTF-8.
    borrowing func count(_ column: Int32) -> Int {
        Int(sqlite3_column_bytes(pointer, column))
    }

    private borrowing func withBytes<Result>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        // The text is asked for before its length: "the safest policy is to invoke
        // sqlite3_column_text() followed by sqlite3_column_bytes()".
        let start = sqlite3_column_text(pointer, column)
        return body(UnsafeRawBufferPointer(start: start, count: count(column)))
    }
}
