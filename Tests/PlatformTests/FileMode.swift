import Glibc

/// The type and the permission bits of a file, or nil where there is none.
func mode(of path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
}
