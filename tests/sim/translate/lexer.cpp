// The tokenizer of PTX text.
#include "translate/lexer.h"

#include <cctype>

#include "translate/source.h"

namespace backplane::sim::translate {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) tokens.push_back(next());
    tokens.push_back({Token::Kind::end, "", line_});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (peek() == '\n') ++line_;
      if (std::isspace(static_cast<unsigned char>(peek()))) {
        ++at_;
      } else if (peek() == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n') ++at_;
      } else if (peek() == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return;
      }
    }
  }

  void skip_block_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) throw TranslationError(line_, "comment without an end");
    for (; at_ < end + 2; ++at_) line_ += peek() == '\n' ? 1 : 0;
  }

  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' ||
           c == '%';
  }

  Token next() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == '"') {
      do ++at_;
      while (at_ < text_.size() && peek() != '"');
      ++at_;
      return {Token::Kind::text, std::string(text_.substr(begin + 1, at_ - begin - 2)), line_};
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      while (std::isalnum(static_cast<unsigned char>(peek()))) ++at_;
      return {Token::Kind::number, std::string(text_.substr(begin, at_ - begin)), line_};
    }
    if (in_word(c)) {
      // A double colon is part of a modifier (.L2::128B); a single one ends a label.
      // ".reg.b32", as inline assembly may write it, is two directives.
      const bool directive = c == '.';
      do at_ += peek() == ':' ? 2 : 1;
      while ((in_word(peek()) && !(directive && peek() == '.')) ||
             (peek() == ':' && peek(1) == ':'));
      return {Token::Kind::word, std::string(text_.substr(begin, at_ - begin)), line_};
    }
    ++at_;
    return {Token::Kind::punctuation, std::string(1, c), line_};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Scanner(text).all();
}

}  // namespace backplane::sim::translate
