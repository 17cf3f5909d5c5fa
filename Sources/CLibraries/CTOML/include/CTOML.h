#ifndef CTOML_H
#define CTOML_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The largest text that is read, in bytes.
#define CTOML_MAX_TEXT 1048576

/// The most values a text may hold: assignments, array elements, table headers and the parts of
/// dotted keys together.
#define CTOML_MAX_VALUES 20000

/// The most levels of tables and arrays within each other.
#define CTOML_MAX_DEPTH 16

/// Turns a TOML text into JSON in which every value carries its type and its place.
///
/// A node is `{"type", "line", "column"}` with one of
/// - `"text"` for the types `string`, `integer`, `float` and `boolean` (`inf`, `nan` included);
/// - `"items"`, a list of nodes, for `array`;
/// - `"members"`, a list of `{"key", "line", "column", "value"}`, for `table`;
/// - nothing more for `date`, `time` and `date-time`.
///
/// A text that is not valid TOML, or passes one of the bounds above, gives
/// `{"line", "column", "text"}`: the first error and its place. Lines and columns count from 1;
/// columns are Unicode code points.
///
/// - Parameters:
///   - text: The text, UTF-8; it may hold any bytes and needs no NUL at its end. NULL is allowed
///     for an empty text.
///   - length: Its length in bytes.
///   - failed: Set to 1 when the answer is an error, else to 0.
/// - Returns: The JSON, NUL-terminated, to be given to `ctoml_free`; NULL when there is no memory.
char *ctoml_to_json(const char *text, size_t length, int *failed);

/// Frees what `ctoml_to_json` returned; NULL is allowed.
void ctoml_free(char *json);

#ifdef __cplusplus
}
#endif

#endif
