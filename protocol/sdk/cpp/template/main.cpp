// mybot: a first bot for both games. Everything here may be changed.
//
// A turn also has `events` (what happened since the last question), `seat`, `players`, `variant`,
// `move_ms`, `elapsed_ms()` and `rng`: dice that repeat when a match is repeated. `std::cout`
// writes to the bot's log. All of it is explained in arena_bot.hpp, beside this file.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "arena_bot.hpp"

namespace {

// Donburiko: claim a column that pays enough, else play a card face up where the others gain least.
namespace pond {

using namespace arena::donburiko;

const std::map<std::string, int> FACES = {{"1", 1},   {"2", 2},   {"3", 3},   {"4", 4},
                                          {"5", 5},   {"1/5", 1}, {"-1", -1}, {"-2", -2},
                                          {"loach", 0}, {"?", 2}};
constexpr int BEST = 6;       // the sum that pays most; what is over it has to be paid
constexpr int ENOUGH = 4;     // tokens for which a column is claimed at once
constexpr double GIFT = 0.2;  // how much of a column's worth counts as a gift to the next player

// About how many tokens a column of these cards pays; loaches turn the ponds.
int worth(const std::vector<std::string>& faces) {
  const bool turned = std::find(faces.begin(), faces.end(), "loach") != faces.end();
  int total = 0;
  for (const std::string& face : faces) total += turned ? std::abs(FACES.at(face)) : FACES.at(face);
  return total <= BEST ? total : BEST - total;
}

// What an action is worth, in tokens.
struct Value {
  const Observation& table;

  std::vector<std::string> faces(int column) const {
    std::vector<std::string> found;
    for (const Card& card : table.columns[static_cast<std::size_t>(column)]->cards) {
      found.push_back(card.face);
    }
    return found;
  }

  double operator()(const Claim& claim) const {
    const int tokens = table.columns[static_cast<std::size_t>(claim.column)]->tokens;
    return worth(faces(claim.column)) + tokens - ENOUGH;
  }

  double operator()(const Play& play) const {
    // A card face up brings a token and one face down costs one; somebody else may claim first.
    std::vector<std::string> after = faces(play.column);
    after.push_back(play.card);
    return (play.up ? 1 : -1) - GIFT * std::max(0, worth(after)) - 1;
  }
};

}  // namespace pond

// Couperation: numbers grow from left to right, so lay each card where its place will be.
namespace tower {

using namespace arena::couperation;

constexpr int MIDDLE = 25;         // the first card, and what the Finish card counts
constexpr double FACE_DOWN = 20;  // how much worse a card face down is
constexpr double PAID = 5;        // what each card from hand is worth that goes for the reserve's

// How far a card is from the number that its slot has in an evenly filled tower.
double distance(int row, int slot, Card card) {
  const int number = card.number == FINISH ? MIDDLE : card.number;
  return std::abs(number - MIDDLE * (2 * slot + row + 1) / 7.0);
}

// What an action is worth: a card face up in a good place, most of all.
struct Value {
  double operator()(const Place& place) const {
    return -distance(place.row, place.slot, place.card) - (place.up ? 0 : FACE_DOWN);
  }

  double operator()(const Reserve& use) const {
    const auto cards = static_cast<double>(use.pair.size() + use.extra.size());
    return -distance(use.row, use.slot, Card{use.take}) - PAID * cards;
  }

  double operator()(const Draw& draw) const { return draw.count; }

  // The middle has the most places.
  double operator()(const Discard& discard) const { return std::abs(discard.card - MIDDLE); }
};

}  // namespace tower

// Takes the action that the functions above value most.
class MyBot : public arena::Bot {
 public:
  // Leave out what it does not play.
  MyBot() : Bot("mybot", {"0.1", {"donburiko", "couperation"}}) {}

  // Sets up what is remembered of a match: a process may play several.
  void start(arena::Match&) override {}

  // Returns one of the legal actions, within `turn.move_ms` milliseconds.
  arena::Action choose(arena::Turn& turn) override {
    if (turn.game == "donburiko") {
      const auto table = arena::donburiko::observation(turn.observation);
      return best(arena::donburiko::legal_actions(turn.legal_actions), pond::Value{table});
    }
    return best(arena::couperation::legal_actions(turn.legal_actions), tower::Value{});
  }

  // Looks at how it ended: `result.scores` and `result.ranks`, by seat.
  void end(const arena::Result&) override {}

 private:
  template <class Action, class Value>
  static Action best(const std::vector<Action>& actions, const Value& value) {
    const auto less = [&](const Action& one, const Action& other) {
      return std::visit(value, one) < std::visit(value, other);
    };
    return *std::max_element(actions.begin(), actions.end(), less);
  }
};

}  // namespace

int main() { return MyBot().run(); }
