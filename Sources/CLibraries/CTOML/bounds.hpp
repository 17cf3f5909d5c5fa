#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ctoml {

/// Where a text stops being acceptable, and why.
struct Fault {
    std::size_t line;
    std::size_t column;
    std::string text;
};

/// Looks for what must not reach the parser: toml++ recurses once for each segment of a dotted key
/// and searches lists linearly, so that a small text could exhaust its stack or take minutes.
std::optional<Fault> find_excess(std::string_view text);

/// What is said of a text with more levels than allowed.
std::string nesting_fault();

}  // namespace ctoml
