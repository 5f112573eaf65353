// Cuts PTX text into words, numbers and punctuation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backplane::sim::translate {

struct Token {
  enum class Kind { word, number, text, punctuation, end };
  Kind kind = Kind::end;
  std::string value;  // words keep their dots: "ld.global.f32", ".reg", "%tid.x"
  int line = 0;
  bool is(std::string_view expected) const { return value == expected && kind != Kind::text; }
};

// The last token is of kind `end`.
std::vector<Token> tokenize(std::string_view text);

}  // namespace backplane::sim::translate
