// Everything that a bot for arena needs, in one header: C++17 and POSIX, no library.
//
// A whole bot:
//
//     #include "arena_bot.hpp"
//
//     int main() {
//       return arena::run("first-legal", [](const arena::Json&, const arena::Actions& legal_actions) {
//         return legal_actions.front();
//       });
//     }
//
// A bot that wants dice, a clock, the events or a memory derives from `arena::Bot` instead. What a
// bot is given are JSON values; `arena::donburiko` and `arena::couperation` make typed values of
// them. Names are those of the protocol, so that messages, this library and those for other
// languages read alike.
//
// Standard output belongs to the protocol: while a bot runs, whatever else is written there goes to
// standard error, which arena keeps as the bot's log.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace arena {

inline constexpr int PROTOCOL = 1;

// The longest line that a bot may write, without its LF.
inline constexpr std::size_t MAX_LINE_BYTES = 65536;

// A JSON value. Whole numbers that fit 64 bits are exact, and no other number is one; the keys of
// an object keep their order.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <class Whole, std::enable_if_t<std::is_integral_v<Whole> && !std::is_same_v<Whole, bool>,
                                          int> = 0>
  Json(Whole value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  // Reads a text that is one JSON value. Throws std::runtime_error where it is not: a key twice in
  // one object, a lone surrogate and nesting beyond 512 are refused, too.
  static Json parse(std::string_view text);

  // Compact, in UTF-8. Throws std::runtime_error for a number that is not finite.
  std::string text() const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(value_); }

  // The value as what it is; std::runtime_error if it is something else.
  bool as_bool() const { return get<bool>("true or false"); }
  std::int64_t as_int() const { return get<std::int64_t>("a whole number"); }
  const std::string& as_string() const { return get<std::string>("a string"); }
  const Array& as_array() const { return get<Array>("an array"); }
  const Object& as_object() const { return get<Object>("an object"); }
  double as_double() const { return is_int() ? static_cast<double>(as_int()) : get<double>("a number"); }

  // The field of an object, or nullptr where it has none of that name.
  const Json* find(std::string_view key) const {
    for (const auto& [name, value] : as_object()) {
      if (name == key) return &value;
    }
    return nullptr;
  }

  // The field of an object; std::runtime_error where it has none of that name.
  const Json& operator[](std::string_view key) const {
    if (const Json* found = find(key)) return *found;
    throw std::runtime_error("there is no field " + std::string(key));
  }

  // Values are equal if their types are; the order of keys is free.
  friend bool operator==(const Json& one, const Json& other) {
    if (!one.is_object() || !other.is_object()) return one.value_ == other.value_;
    if (one.as_object().size() != other.as_object().size()) return false;
    for (const auto& [key, value] : one.as_object()) {
      const Json* found = other.find(key);
      if (!found || !(*found == value)) return false;
    }
    return true;
  }
  friend bool operator!=(const Json& one, const Json& other) { return !(one == other); }

 private:
  template <class T>
  const T& get(const char* what) const {
    if (const T* found = std::get_if<T>(&value_)) return *found;
    throw std::runtime_error("not " + std::string(what) + ": " + text().substr(0, 80));
  }

  void write(std::string& out) const;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

using Actions = std::vector<Json>;

namespace detail {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json whole() {
    Json value = any(0);
    skip();
    if (at_ != text_.size()) fail();
    return value;
  }

 private:
  static constexpr int DEEPEST = 512;

  [[noreturn]] void fail() const {
    throw std::runtime_error("not JSON at byte " + std::to_string(at_));
  }

  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }

  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json any(int depth) {
    if (depth > DEEPEST) fail();
    skip();
    if (at_ == text_.size()) fail();
    switch (text_[at_]) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return string();
      case 't': if (take("true")) return true; break;
      case 'f': if (take("false")) return false; break;
      case 'n': if (take("null")) return nullptr; break;
      default: return number();
    }
    fail();
  }

  Json array(int depth) {
    Json::Array items;
    ++at_;
    skip();
    if (take("]")) return items;
    do {
      items.push_back(any(depth + 1));
      skip();
    } while (take(","));
    if (!take("]")) fail();
    return items;
  }

  Json object(int depth) {
    Json::Object fields;
    ++at_;
    skip();
    if (take("}")) return fields;
    do {
      skip();
      if (at_ == text_.size() || text_[at_] != '"') fail();
      std::string key = string();
      for (const auto& field : fields) {
        if (field.first == key) fail();
      }
      skip();
      if (!take(":")) fail();
      fields.emplace_back(std::move(key), any(depth + 1));
      skip();
    } while (take(","));
    if (!take("}")) fail();
    return fields;
  }

  Json number() {
    const std::size_t start = at_;
    take("-");
    if (!take("0")) digits();
    bool whole = true;
    if (take(".")) {
      whole = false;
      digits();
    }
    if (take("e") || take("E")) {
      whole = false;
      if (!take("+")) take("-");
      digits();
    }
    const std::string_view shown = text_.substr(start, at_ - start);
    std::int64_t exact = 0;
    if (whole && std::from_chars(shown.data(), shown.data() + shown.size(), exact).ec == std::errc()) {
      return exact;
    }
    const double value = std::strtod(std::string(shown).c_str(), nullptr);
    if (!std::isfinite(value)) fail();
    return value;
  }

  void digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == start) fail();
  }

  std::string string() {
    std::string out;
    for (++at_; at_ < text_.size(); ) {
      const unsigned char sign = static_cast<unsigned char>(text_[at_]);
      if (sign == '"') {
        ++at_;
        return out;
      }
      if (sign < 0x20) fail();
      if (sign >= 0x80) {
        copy_character(out);
      } else if (sign == '\\') {
        ++at_;
        escape(out);
      } else {
        out += text_[at_++];
      }
    }
    fail();
  }

  void escape(std::string& out) {
    static constexpr std::string_view FROM = "\"\\/bfnrt";
    static constexpr std::string_view TO = "\"\\/\b\f\n\r\t";
    if (take("u")) {
      std::uint32_t code = hex();
      if (code >= 0xd800 && code < 0xdc00 && take("\\u")) {
        const std::uint32_t low = hex();
        if (low < 0xdc00 || low > 0xdfff) fail();
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      } else if (code >= 0xd800 && code <= 0xdfff) {
        fail();
      }
      append(out, code);
      return;
    }
    const std::size_t which = at_ < text_.size() ? FROM.find(text_[at_]) : FROM.npos;
    if (which == FROM.npos) fail();
    out += TO[which];
    ++at_;
  }

  std::uint32_t hex() {
    std::uint32_t code = 0;
    for (const std::size_t end = at_ + 4; at_ < end; ++at_) {
      static constexpr std::string_view DIGITS = "0123456789abcdef0123456789ABCDEF";
      const std::size_t digit = at_ < text_.size() ? DIGITS.find(text_[at_]) : DIGITS.npos;
      if (digit == DIGITS.npos) fail();
      code = code * 16 + static_cast<std::uint32_t>(digit % 16);
    }
    return code;
  }

  static void append(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xe0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xf0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  // Copies a character of two to four bytes, if it is one of UTF-8.
  void copy_character(std::string& out) {
    const auto byte = [&](std::size_t ahead) {
      return at_ + ahead < text_.size() ? static_cast<unsigned char>(text_[at_ + ahead]) : 0U;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    std::uint32_t code = lead & (0xffU >> (length + 1));
    for (std::size_t ahead = 1; ahead < length; ++ahead) {
      if ((byte(ahead) & 0xc0U) != 0x80) fail();
      code = (code << 6) | (byte(ahead) & 0x3fU);
    }
    static constexpr std::array<std::uint32_t, 5> LEAST = {0, 0, 0x80, 0x800, 0x10000};
    if (lead < 0xc0 || lead > 0xf7 || code < LEAST[length] || code > 0x10ffff) fail();
    if (code >= 0xd800 && code <= 0xdfff) fail();
    out += text_.substr(at_, length);
    at_ += length;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

inline void write_string(std::string& out, std::string_view text) {
  static constexpr std::string_view DIGITS = "0123456789abcdef";
  out += '"';
  for (const char sign : text) {
    const auto code = static_cast<unsigned char>(sign);
    if (sign == '"' || sign == '\\') {
      out += '\\';
      out += sign;
    } else if (code < 0x20) {
      out += "\\u00";
      out += DIGITS[code >> 4];
      out += DIGITS[code & 15];
    } else {
      out += sign;
    }
  }
  out += '"';
}

}  // namespace detail

inline Json Json::parse(std::string_view text) { return detail::Reader(text).whole(); }

inline std::string Json::text() const {
  std::string out;
  write(out);
  return out;
}

inline void Json::write(std::string& out) const {
  if (is_null()) {
    out += "null";
  } else if (const bool* truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else if (const std::int64_t* whole = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*whole);
  } else if (const double* number = std::get_if<double>(&value_)) {
    if (!std::isfinite(*number)) throw std::runtime_error("a number that is not finite is no JSON");
    std::array<char, 40> shown{};
    std::snprintf(shown.data(), shown.size(), "%.17g", *number);
    const std::string_view text = shown.data();
    out += text;
    // It stays what it is when it is read: no whole number.
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  } else if (const std::string* string = std::get_if<std::string>(&value_)) {
    detail::write_string(out, *string);
  } else if (is_array()) {
    char before = '[';
    for (const Json& item : as_array()) {
      out += std::exchange(before, ',');
      item.write(out);
    }
    out += as_array().empty() ? "[]" : "]";
  } else {
    char before = '{';
    for (const auto& [key, item] : as_object()) {
      out += std::exchange(before, ',');
      detail::write_string(out, key);
      out += ':';
      item.write(out);
    }
    out += as_object().empty() ? "{}" : "}";
  }
}

// Typed values: what stands in observations, legal actions and events, field by field as in the
// specification. For each type `fields` names them once, for reading and for writing.

namespace detail {

// Reads into a value: whole numbers, truth values, strings, lists, pairs, what may be null, and
// types that have `fields`. Fields that are not known are passed over.
struct From {
  template <class T>
  static void read(const Json& json, T& value);

  const Json& object;

  template <class T>
  void operator()(const char* key, T& value) const {
    try {
      read(object[key], value);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string(key) + ": " + error.what());
    }
  }

  // A field that can be left out.
  template <class T>
  void optional(const char* key, std::optional<T>& value) const {
    value.reset();
    if (object.find(key)) (*this)(key, value.emplace());
  }
};

// Writes what `From` reads.
struct To {
  template <class T>
  static Json written(const T& value);

  Json::Object object;

  template <class T>
  void operator()(const char* key, const T& value) {
    object.emplace_back(key, written(value));
  }

  template <class T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
};

template <class T, class = void>
struct has_type : std::false_type {};
template <class T>
struct has_type<T, std::void_t<decltype(T::type)>> : std::true_type {};

template <class T>
struct is_list : std::false_type {};
template <class T>
struct is_list<std::vector<T>> : std::true_type {};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

}  // namespace detail

// Event of every game: a seat is closed.
struct Fault {
  static constexpr const char* type = "fault";
  int seat = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) { visit("seat", self.seat); }
};

namespace donburiko {

// Faces are written as in the specification: "1" to "5", "1/5", "-1", "-2", "loach", and "?" where
// this seat may not see it.
struct Card {
  std::string face;
  bool up = false;
  std::optional<int> by;  // the seat that placed it; empty for the card that was dealt
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("face", self.face);
    visit("up", self.up);
    visit("by", self.by);
  }
};

// A column that nobody has claimed yet.
struct Column {
  std::vector<Card> cards;  // in the order in which they were placed
  int tokens = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("cards", self.cards);
    visit("tokens", self.tokens);
  }
};

// The table as a seat sees it.
struct Observation {
  int round = 0;
  bool last_round = false;
  int seat = 0;
  std::optional<int> to_act;
  std::vector<int> tokens;
  int bank = 0;
  std::vector<std::string> hand;
  std::vector<int> hand_sizes;
  std::vector<bool> in_round;
  int set_aside = 0;
  std::vector<std::optional<Column>> columns;  // by number; empty once it is claimed
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("round", self.round);
    visit("last_round", self.last_round);
    visit("seat", self.seat);
    visit("to_act", self.to_act);
    visit("tokens", self.tokens);
    visit("bank", self.bank);
    visit("hand", self.hand);
    visit("hand_sizes", self.hand_sizes);
    visit("in_round", self.in_round);
    visit("set_aside", self.set_aside);
    visit("columns", self.columns);
  }
};

// Place a card from hand on a column.
struct Play {
  static constexpr const char* type = "play";
  std::string card;
  int column = 0;
  bool up = false;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("card", self.card);
    visit("column", self.column);
    visit("up", self.up);
  }
};

// Take a column, and be out of the round.
struct Claim {
  static constexpr const char* type = "claim";
  int column = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) { visit("column", self.column); }
};

// A round began.
struct RoundEvent {
  static constexpr const char* type = "round";
  int round = 0;
  int starts = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("round", self.round);
    visit("starts", self.starts);
  }
};

// A seat placed a card.
struct PlayEvent {
  static constexpr const char* type = "play";
  int seat = 0;
  int column = 0;
  std::string card;
  bool up = false;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("column", self.column);
    visit("card", self.card);
    visit("up", self.up);
  }
};

// A seat took a column, whose cards everybody now sees.
struct ClaimEvent {
  static constexpr const char* type = "claim";
  int seat = 0;
  int column = 0;
  std::vector<std::string> cards;
  int tokens = 0;
  int sum = 0;
  int paid = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("column", self.column);
    visit("cards", self.cards);
    visit("tokens", self.tokens);
    visit("sum", self.sum);
    visit("paid", self.paid);
  }
};

// A round ended.
struct RoundEndEvent {
  static constexpr const char* type = "round_end";
  int round = 0;
  std::string reason;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("round", self.round);
    visit("reason", self.reason);
  }
};

using Action = std::variant<Play, Claim>;
using Event = std::variant<RoundEvent, PlayEvent, ClaimEvent, RoundEndEvent, Fault>;

}  // namespace donburiko

namespace couperation {

// A card is its number, 1 to 50; the Finish card is FINISH.
inline constexpr int FINISH = 0;
struct Card {
  int number = FINISH;
};

inline bool operator==(Card one, Card other) { return one.number == other.number; }
inline bool operator!=(Card one, Card other) { return one.number != other.number; }

// A filled slot of the tower.
struct Slot {
  std::optional<Card> card;  // empty if another seat placed it face down
  bool up = false;
  std::optional<int> by;  // the seat that placed it; empty for the first 25
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("card", self.card);
    visit("up", self.up);
    visit("by", self.by);
  }
};

// The table as a seat sees it.
struct Observation {
  int seat = 0;
  std::optional<int> to_act;
  std::string phase;  // "draw", "act" or "discard"
  std::vector<int> hand;
  std::vector<int> hand_sizes;
  std::optional<int> finish;  // the seat before which the Finish card lies
  // Seven rows from the bottom, each from the left; an empty slot is empty.
  std::vector<std::vector<std::optional<Slot>>> tower;
  std::vector<int> reserve;
  std::vector<int> removed;
  int deck = 0;
  int score = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("to_act", self.to_act);
    visit("phase", self.phase);
    visit("hand", self.hand);
    visit("hand_sizes", self.hand_sizes);
    visit("finish", self.finish);
    visit("tower", self.tower);
    visit("reserve", self.reserve);
    visit("removed", self.removed);
    visit("deck", self.deck);
    visit("score", self.score);
  }
};

// Draw so many cards: the first player's choice.
struct Draw {
  static constexpr const char* type = "draw";
  int count = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) { visit("count", self.count); }
};

// Put a card from hand, or the Finish card, into an empty slot.
struct Place {
  static constexpr const char* type = "place";
  Card card;
  int row = 0;
  int slot = 0;
  bool up = false;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("card", self.card);
    visit("row", self.row);
    visit("slot", self.slot);
    visit("up", self.up);
  }
};

// Put a pair into the reserve and place a card from there face up.
struct Reserve {
  static constexpr const char* type = "reserve";
  std::array<int, 2> pair{};
  std::vector<int> extra;
  int take = 0;
  int row = 0;
  int slot = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("pair", self.pair);
    visit("extra", self.extra);
    visit("take", self.take);
    visit("row", self.row);
    visit("slot", self.slot);
  }
};

// Put one card from hand into the reserve, because the hand holds too many.
struct Discard {
  static constexpr const char* type = "discard";
  int card = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) { visit("card", self.card); }
};

// A seat drew, perhaps nothing.
struct DrawEvent {
  static constexpr const char* type = "draw";
  int seat = 0;
  int count = 0;
  std::optional<std::vector<int>> cards;  // empty for other seats
  bool finish = false;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("count", self.count);
    visit("cards", self.cards);
    visit("finish", self.finish);
  }
};

// A seat placed a card.
struct PlaceEvent {
  static constexpr const char* type = "place";
  int seat = 0;
  std::optional<Card> card;  // empty for other seats if it lies face down
  int row = 0;
  int slot = 0;
  bool up = false;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("card", self.card);
    visit("row", self.row);
    visit("slot", self.slot);
    visit("up", self.up);
  }
};

// A seat used the reserve.
struct ReserveEvent {
  static constexpr const char* type = "reserve";
  int seat = 0;
  std::array<int, 2> pair{};
  std::vector<int> extra;
  int take = 0;
  int row = 0;
  int slot = 0;
  // The card taken up: empty if there was none, and empty inside if this seat may not know it.
  std::optional<std::optional<Card>> replaced;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("pair", self.pair);
    visit("extra", self.extra);
    visit("take", self.take);
    visit("row", self.row);
    visit("slot", self.slot);
    visit.optional("replaced", self.replaced);
  }
};

// A seat discarded into the reserve.
struct DiscardEvent {
  static constexpr const char* type = "discard";
  int seat = 0;
  int card = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) {
    visit("seat", self.seat);
    visit("card", self.card);
  }
};

// A seat had no legal action.
struct PassEvent {
  static constexpr const char* type = "pass";
  int seat = 0;
  template <class Visit, class Self>
  static void fields(Visit& visit, Self& self) { visit("seat", self.seat); }
};

using Action = std::variant<Draw, Place, Reserve, Discard>;
using Event =
    std::variant<DrawEvent, PlaceEvent, ReserveEvent, DiscardEvent, PassEvent, Fault>;

}  // namespace couperation

namespace detail {

template <class T>
void From::read(const Json& json, T& value) {
  if constexpr (is_optional<T>::value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  } else if constexpr (is_list<T>::value) {
    value.clear();
    value.reserve(json.as_array().size());
    for (const Json& item : json.as_array()) {
      typename T::value_type one{};
      read(item, one);
      value.push_back(std::move(one));
    }
  } else if constexpr (std::is_same_v<T, std::array<int, 2>>) {
    if (json.as_array().size() != 2) throw std::runtime_error("not a pair: " + json.text());
    for (std::size_t at : {0U, 1U}) read(json.as_array()[at], value[at]);
  } else if constexpr (std::is_same_v<T, couperation::Card>) {
    value.number = couperation::FINISH;
    if (json != Json("finish")) read(json, value.number);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = json.as_bool();
  } else if constexpr (std::is_same_v<T, int>) {
    value = static_cast<int>(json.as_int());
    if (value != json.as_int()) throw std::runtime_error("too large: " + json.text());
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = json.as_string();
  } else {
    From from{json};
    T::fields(from, value);
  }
}

template <class T>
Json To::written(const T& value) {
  if constexpr (is_optional<T>::value) {
    return value ? written(*value) : Json();
  } else if constexpr (is_list<T>::value || std::is_same_v<T, std::array<int, 2>>) {
    Json::Array items;
    for (const auto& item : value) items.push_back(written<typename T::value_type>(item));
    return items;
  } else if constexpr (std::is_same_v<T, couperation::Card>) {
    return value.number == couperation::FINISH ? Json("finish") : Json(value.number);
  } else if constexpr (std::is_constructible_v<Json, const T&>) {
    return Json(value);
  } else {
    To to;
    if constexpr (has_type<T>::value) to("type", std::string(T::type));
    T::fields(to, value);
    return std::move(to.object);
  }
}

// Adds `json` to `list` as the one of the types Kinds that it says; false if it is none of them.
template <class Value, class... Kinds>
bool add_known(const Json& json, std::vector<Value>& list, const std::variant<Kinds...>*) {
  const std::string& type = json["type"].as_string();
  const auto add = [&](auto kind) {
    if (type != decltype(kind)::type) return false;
    From::read(json, kind);
    list.emplace_back(std::move(kind));
    return true;
  };
  return (add(Kinds{}) || ...);
}

// Types of later versions are left out.
template <class Value>
std::vector<Value> known(const std::vector<Json>& values) {
  std::vector<Value> list;
  list.reserve(values.size());
  for (const Json& json : values) add_known(json, list, static_cast<const Value*>(nullptr));
  return list;
}

template <class T>
T typed(const Json& json) {
  T value;
  From::read(json, value);
  return value;
}

}  // namespace detail

// A typed value as JSON, spelt as arena spells it.
template <class T>
Json plain(const T& value) {
  return detail::To::written(value);
}
template <class... Kinds>
Json plain(const std::variant<Kinds...>& value) {
  return std::visit([](const auto& kind) { return detail::To::written(kind); }, value);
}

// A turn's or result's values, typed; std::runtime_error where they are not of the game. Events
// of a later version are left out.

namespace donburiko {
inline Observation observation(const Json& json) { return detail::typed<Observation>(json); }
inline std::vector<Action> legal_actions(const Actions& values) { return detail::known<Action>(values); }
inline std::vector<Event> events(const std::vector<Json>& values) { return detail::known<Event>(values); }
}  // namespace donburiko

namespace couperation {
inline Observation observation(const Json& json) { return detail::typed<Observation>(json); }
inline std::vector<Action> legal_actions(const Actions& values) { return detail::known<Action>(values); }
inline std::vector<Event> events(const std::vector<Json>& values) { return detail::known<Event>(values); }
}  // namespace couperation

// What `choose` returns: one of the legal actions, as JSON or typed.
struct Action {
  Action(Json action) : json(std::move(action)) {}
  template <class T, std::enable_if_t<detail::has_type<T>::value, int> = 0>
  Action(const T& action) : json(plain(action)) {}
  template <class... Kinds>
  Action(const std::variant<Kinds...>& action) : json(plain(action)) {}

  Json json;
};

// Dice that repeat: xoshiro128** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number
// Generators", 2018), its state drawn by SplitMix64 from a seed. The JavaScript library has the
// same. It can serve the standard library's distributions, whose numbers differ from one standard
// library to another.
class Rng {
 public:
  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffffffff; }
  result_type operator()() { return word(); }

  explicit Rng(std::uint64_t seed) {
    for (std::size_t half : {0U, 2U}) {
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t word = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
      word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
      word ^= word >> 31;
      state_[half] = static_cast<std::uint32_t>(word);
      state_[half + 1] = static_cast<std::uint32_t>(word >> 32);
    }
  }

  // A whole number from 0 to 2^32 - 1.
  std::uint32_t word() {
    const std::uint32_t result = rotated(state_[1] * 5, 7) * 9;
    const std::uint32_t shifted = state_[1] << 9;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotated(state_[3], 11);
    return result;
  }

  // A whole number from 0 to bound - 1, each as likely as the others; bound is 1 to 2^32.
  std::uint32_t below(std::uint64_t bound) {
    constexpr std::uint64_t WORDS = std::uint64_t{1} << 32;
    if (bound < 1 || bound > WORDS) throw std::out_of_range("no number is below " + std::to_string(bound));
    const std::uint64_t limit = WORDS - WORDS % bound;
    std::uint64_t word = this->word();
    while (word >= limit) word = this->word();
    return static_cast<std::uint32_t>(word % bound);
  }

  // A number from 0 to 1, 1 left out, with 53 random bits.
  double random() {
    const std::uint64_t high = word() >> 5;
    return static_cast<double>((high << 26) + (word() >> 6)) / 9007199254740992.0;
  }

  // Any item of a list.
  template <class List>
  const auto& choice(const List& items) {
    return items[below(items.size())];
  }

  // Brings a list into any order, in place.
  template <class List>
  void shuffle(List& items) {
    for (std::size_t last = items.size(); last > 1; --last) std::swap(items[last - 1], items[below(last)]);
  }

 private:
  static std::uint32_t rotated(std::uint32_t word, int by) { return (word << by) | (word >> (32 - by)); }

  std::array<std::uint32_t, 4> state_{};
};

// What a bot is told of the match that begins. It names no rival, deal or match.
struct Match {
  explicit Match(const Json& message)
      : game(message["game"].as_string()),
        variant(message["variant"].as_string()),
        players(static_cast<int>(message["players"].as_int())),
        seat(static_cast<int>(message["seat"].as_int())),
        seed(message["seed"].as_int()),
        move_ms(message["move_ms"].as_int()),
        extra_ms(message["extra_ms"].as_int()),
        rng(static_cast<std::uint64_t>(seed)) {}

  std::string game;
  std::string variant;
  int players;
  int seat;               // the bot's own, from 0
  std::int64_t seed;      // below 2^53; it says nothing about the cards
  std::int64_t move_ms;   // wall time for each decision
  std::int64_t extra_ms;  // wall time for the whole match, where a decision takes longer
  Rng rng;                // the bot's dice for this match, seeded by it so that it can be repeated
};

// One decision: what the seat knows and what it may do.
struct Turn {
  using Clock = std::chrono::steady_clock;

  Turn(const Json& message, Match& the_match, Clock::time_point when)
      : observation(message["observation"]),
        events(message["events"].as_array()),
        legal_actions(message.find("legal_actions") ? message["legal_actions"].as_array() : none()),
        move_ms(message["move_ms"].as_int()),
        extra_ms(message["extra_ms"].as_int()),
        match(the_match),
        game(the_match.game),
        variant(the_match.variant),
        players(the_match.players),
        seat(the_match.seat),
        rng(the_match.rng),
        asked_(when) {}

  const Json& observation;          // the table as it is now, complete
  const std::vector<Json>& events;  // since this bot was last asked, oldest first
  const Actions& legal_actions;     // empty for a bot that did not want them
  std::int64_t move_ms;             // wall time for this decision
  std::int64_t extra_ms;            // what is left of the match's extra time
  Match& match;
  const std::string& game;
  const std::string& variant;
  int players;
  int seat;
  Rng& rng;

  // How long ago the question was read, in milliseconds.
  double elapsed_ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - asked_).count();
  }

 private:
  static const Actions& none() {
    static const Actions NONE;
    return NONE;
  }

  Clock::time_point asked_;
};

// How the match ended.
struct Result {
  Result(const Json& message, Match& the_match)
      : events(message["events"].as_array()), reason(message["reason"].as_string()), match(the_match) {
    detail::From::read(message["scores"], scores);
    detail::From::read(message["ranks"], ranks);
  }

  const std::vector<Json>& events;  // since this bot was last asked
  std::vector<int> scores;          // by seat
  std::vector<int> ranks;           // by seat, 1 best; ties share a place (1, 1, 3)
  const std::string& reason;
  Match& match;
};

struct Options {
  std::string version = {};             // shown in logs alone
  std::vector<std::string> games = {};  // names of the games that the bot plays; empty for all
  bool legal_actions = true;            // whether they are wanted; without them lines are shorter
};

// Base of bots that are more than one function: override `choose`, then call `run`.
//
// An instance serves one seat. It may be asked to play several matches, one after the other, so
// whatever it remembers of a match belongs into `start`.
class Bot {
 public:
  // The name is shown in logs alone.
  explicit Bot(std::string its_name, Options its_options = {})
      : name(std::move(its_name)), options(std::move(its_options)) {}
  virtual ~Bot() = default;
  Bot(const Bot&) = delete;
  Bot& operator=(const Bot&) = delete;

  // Prepares for a match; the time that it takes counts towards the first decision.
  virtual void start(Match& match) { static_cast<void>(match); }

  // Returns one of the legal actions of the turn.
  virtual Action choose(Turn& turn) = 0;

  // Takes note of how the match ended.
  virtual void end(const Result& result) { static_cast<void>(result); }

  // Plays over standard input and output until told to quit, or until the input ends. Returns the
  // status that the process is to exit with: 1 once an exception was thrown and printed.
  int run();

  std::string name;
  Options options;
  // What the bot is held to, by name, once `start` is called; empty: limits are off.
  std::map<std::string, std::int64_t> limits;
};

// (observation, legal actions) -> one of the legal actions.
using Choose = std::function<Action(const Json& observation, const Actions& legal_actions)>;

namespace detail {

class OneFunction : public Bot {
 public:
  OneFunction(std::string its_name, Choose function, Options its_options)
      : Bot(std::move(its_name), std::move(its_options)), function_(std::move(function)) {}
  Action choose(Turn& turn) override { return function_(turn.observation, turn.legal_actions); }

 private:
  Choose function_;
};

using Send = std::function<void(const std::string& line)>;

inline std::string line_of(const Json& message) {
  std::string line = message.text();
  if (line.size() > MAX_LINE_BYTES) {
    throw std::runtime_error("a line of " + std::to_string(line.size()) + " bytes, and " +
                             std::to_string(MAX_LINE_BYTES) + " is the most");
  }
  return line += '\n';
}

inline Json ready(const Bot& bot) {
  Json::Object message{{"type", "ready"}, {"protocol", PROTOCOL}, {"name", bot.name}};
  if (!bot.options.version.empty()) message.emplace_back("version", bot.options.version);
  if (!bot.options.games.empty()) message.emplace_back("games", To::written(bot.options.games));
  if (!bot.options.legal_actions) message.emplace_back("legal_actions", false);
  return message;
}

// One side of a conversation. Types and fields that are not known here are passed over.
class Conversation {
 public:
  Conversation(Bot& bot, Send send) : bot_(bot), send_(std::move(send)) {}

  // Answers a line; returns false once the bot is to exit.
  bool hear(std::string_view line) {
    const auto asked = Turn::Clock::now();
    const Json message = Json::parse(line);
    const Json* found = message.find("type");
    const std::string type = found && found->is_string() ? found->as_string() : "";
    if (type == "act" && match_) {
      Turn turn(message, *match_, asked);
      const Action action = bot_.choose(turn);
      if (!action.json.is_object()) {
        throw std::runtime_error("choose returned " + action.json.text() + ", not an action");
      }
      send_(line_of(Json::Object{{"type", "action"}, {"id", message["id"]}, {"action", action.json}}));
    } else if (type == "hello") {
      bot_.limits.clear();
      const Json* limits = message.find("limits");
      if (limits && limits->is_object()) {
        for (const auto& [name, value] : limits->as_object()) {
          if (value.is_int()) bot_.limits[name] = value.as_int();
        }
      }
      send_(line_of(ready(bot_)));
    } else if (type == "start") {
      match_.emplace(message);
      bot_.start(*match_);
    } else if (type == "end" && match_) {
      bot_.end(Result(message, *match_));
    } else if (type == "error") {
      // The seat is closed by now; the log is where the author will look.
      std::cerr << "arena: " << message["code"].as_string() << ": " << message["message"].as_string()
                << std::endl;
    }
    return type != "quit";
  }

 private:
  Bot& bot_;
  Send send_;
  std::optional<Match> match_;
};

// Moves the protocol to private descriptors, out of reach of the bot and its child processes: from
// here on descriptor 1 is standard error, so that stray output becomes a line of the log instead
// of a fault, and descriptor 0 is empty, so that no child swallows a question.
class Channel {
 public:
  Channel() : from_(kept(0)), to_(kept(1)) {
    // What was written before is for the log, too, and from now on each line at once.
    ::dup2(2, 1);
    std::fflush(stdout);
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing > 0) {
      ::dup2(nothing, 0);
      ::close(nothing);
    }
  }
  ~Channel() {
    ::close(from_);
    ::close(to_);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Reads the next line, however long, without its LF; false at the end of the input, where half a
  // line is none.
  bool read(std::string& line) {
    line.clear();
    for (;;) {
      const std::string_view left(buffer_.data() + at_, end_ - at_);
      const std::size_t length = left.find('\n');
      line += left.substr(0, length);
      if (length != std::string_view::npos) {
        at_ += length + 1;
        return true;
      }
      const ssize_t count = ::read(from_, buffer_.data(), buffer_.size());
      if (count < 0 && errno != EINTR) throw std::runtime_error("the input cannot be read");
      if (count == 0) return false;
      at_ = 0;
      end_ = count < 0 ? 0 : static_cast<std::size_t>(count);
    }
  }

  void write(std::string_view line) const {
    while (!line.empty()) {
      const ssize_t count = ::write(to_, line.data(), line.size());
      if (count < 0 && errno != EINTR) throw std::runtime_error("the answer cannot be written");
      if (count > 0) line.remove_prefix(static_cast<std::size_t>(count));
    }
  }

 private:
  static int kept(int descriptor) {
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) throw std::runtime_error("standard input or output is closed");
    return copy;
  }

  int from_;
  int to_;
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace detail

inline int Bot::run() {
  try {
    detail::Channel channel;
    detail::Conversation conversation(*this, [&](const std::string& line) { channel.write(line); });
    std::string line;
    while (channel.read(line)) {
      if (line.find_first_not_of(" \t\r") != std::string::npos && !conversation.hear(line)) break;
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << std::endl;
  } catch (...) {
    std::cerr << name << ": something that is no std::exception was thrown" << std::endl;
  }
  return 1;
}

// Plays with `choose` until told to quit, or until the input ends. Returns the status that the
// process is to exit with: `int main() { return arena::run(...); }`.
inline int run(std::string name, Choose choose, Options options = {}) {
  return detail::OneFunction(std::move(name), std::move(choose), std::move(options)).run();
}

// Returns the actions that a bot takes when it is sent lines, all in this process. `lines` are what
// the referee writes, from `hello` or `start` on. Whatever the bot throws is thrown.
inline Actions answers(Bot& bot, const std::vector<std::string>& lines) {
  Actions actions;
  detail::Conversation conversation(bot, [&](const std::string& line) {
    const Json message = Json::parse(line);
    if (const Json* action = message.find("action")) actions.push_back(*action);
  });
  for (const std::string& line : lines) {
    if (!conversation.hear(line)) break;
  }
  return actions;
}
inline Actions answers(Choose choose, const std::vector<std::string>& lines) {
  detail::OneFunction bot("", std::move(choose), {});
  return answers(bot, lines);
}

}  // namespace arena
