#include "bounds.hpp"

#include "CTOML.h"

namespace ctoml {
namespace {

/// A number or bare key longer than this is refused; toml++ looks back at most 128 characters.
constexpr std::size_t max_word = 100;

/// Reads a text only as far as needed to tell keys from strings and comments.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {
        // The byte order mark that some editors write has no column.
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") {
            text_.remove_prefix(3);
        }
    }

    std::optional<Fault> run() {
        while (position_ < text_.size() && !fault_) {
            step();
        }
        return fault_;
    }

  private:
    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
    std::size_t column_ = 1;
    std::size_t values_ = 0;
    std::size_t depth_ = 0;
    std::size_t dots_ = 0;
    std::size_t word_ = 0;
    std::optional<Fault> fault_;

    void step() {
        switch (const char character = text_[position_]) {
        case '#':
            skip_comment();
            break;
        case '"':
        case '\'':
            word_ = 0;
            skip_string(character);
            break;
        case ' ':
        case '\t':
            word_ = 0;
            advance();
            break;
        case '=':
        case ',':
        case '[':
        case '{':
        case ']':
        case '}':
        case '\n':
        case '\r':
            word_ = 0;
            dots_ = 0;
            count_structure(character);
            advance();
            break;
        default:
            count_in_word(character);
            advance();
        }
    }

    void count_structure(char character) {
        const bool is_opening = character == '[' || character == '{';
        if (is_opening && ++depth_ > CTOML_MAX_DEPTH) {
            refuse(nesting_fault());
        } else if ((character == ']' || character == '}') && depth_ > 0) {
            --depth_;
        } else if (is_opening || character == '=' || character == ',') {
            count_value();
        }
    }

    void count_value() {
        if (++values_ > CTOML_MAX_VALUES) {
            refuse("more than " + std::to_string(CTOML_MAX_VALUES) + " values");
        }
    }

    void count_in_word(char character) {
        if (++word_ > max_word) {
            refuse("a word of more than " + std::to_string(max_word)
                   + " characters outside quotation marks");
        } else if (character == '.') {
            if (++dots_ >= CTOML_MAX_DEPTH) {
                refuse("a key of more than " + std::to_string(CTOML_MAX_DEPTH) + " parts");
            }
            count_value();
        }
    }

    void skip_comment() {
        while (position_ < text_.size() && text_[position_] != '\n') {
            advance();
        }
    }

    void skip_string(char quote) {
        const std::string three(3, quote);
        const bool is_long = text_.substr(position_, 3) == three;
        const std::string_view end = std::string_view(three).substr(0, is_long ? 3 : 1);
        advance(end.size());
        while (position_ < text_.size() && text_.substr(position_, end.size()) != end) {
            if (!is_long && text_[position_] == '\n') {
                return;
            }
            advance(quote == '"' && text_[position_] == '\\' ? 2 : 1);
        }
        advance(end.size());
        // A long string may end in one or two quotation marks of its own.
        for (int own = 0; is_long && own < 2 && position_ < text_.size(); ++own) {
            advance(text_[position_] == quote ? 1 : 0);
        }
    }

    void advance(std::size_t count = 1) {
        for (; count > 0 && position_ < text_.size(); --count, ++position_) {
            const auto byte = static_cast<unsigned char>(text_[position_]);
            if (byte == '\n') {
                ++line_;
                column_ = 1;
            } else if ((byte & 0xC0) != 0x80) {
                ++column_;
            }
        }
    }

    void refuse(std::string text) { fault_ = Fault{line_, column_, std::move(text)}; }
};

}  // namespace

std::string nesting_fault() {
    return "more than " + std::to_string(CTOML_MAX_DEPTH) + " tables and arrays in each other";
}

std::optional<Fault> find_excess(std::string_view text) {
    if (text.size() > CTOML_MAX_TEXT) {
        return Fault{1, 1, "more than " + std::to_string(CTOML_MAX_TEXT) + " bytes"};
    }
    return Scanner(text).run();
}

}  // namespace ctoml
