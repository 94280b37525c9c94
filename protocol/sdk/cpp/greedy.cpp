// Looks one action ahead, in both games: gives every legal action a value and takes the best.
// It plays as bots/greedy.py does, where bots/README.md says how it thinks; its dice differ.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "arena_bot.hpp"

namespace {

// Donburiko: claim now, or play a card and hope for a column that the rivals leave?
namespace pond {

using namespace arena::donburiko;
using Faces = std::vector<std::string>;

const std::map<std::string, int> VALUES = {{"1", 1},   {"2", 2},   {"3", 3},   {"4", 4},    {"5", 5},
                                           {"1/5", 1}, {"-1", -1}, {"-2", -2}, {"loach", 0}};
const Faces DECK = {"1", "2", "2", "3", "3", "4", "4", "5", "-1", "-1", "-2", "-2", "loach", "loach"};
constexpr int MOST = 6;       // the sum that pays most; beyond it, the rest is paid to the bank
constexpr int DONBURIKO = 2;  // what a sum of exactly six is worth besides: nobody else scores
constexpr double GIFT = 0.2;  // what an offer to the rivals costs, as a share of the best column

int count(const Faces& cards, const std::string& face) {
  return static_cast<int>(std::count(cards.begin(), cards.end(), face));
}

// What a claim of these cards is worth in tokens.
int payment(const Faces& cards) {
  // A loach turns the ponds, which are the only cards below zero.
  const bool turned = count(cards, "loach") > 0;
  int low = 0;
  for (const std::string& card : cards) low += turned ? std::abs(VALUES.at(card)) : VALUES.at(card);
  int most = -1000;
  for (int fives = 0; fives <= count(cards, "1/5"); ++fives) {
    const int total = low + 4 * fives;
    if (total == MOST) return MOST + DONBURIKO;
    most = std::max(most, total < MOST ? total : MOST - total);
  }
  return most;
}

class Values {
 public:
  explicit Values(const Observation& table) : table_(table), unseen_(DECK) {
    // Two players do without these cards.
    if (table.tokens.size() > 2) unseen_.insert(unseen_.end(), 2, "1/5");
    for (const auto& column : table.columns) {
      if (!column) continue;
      for (const Card& card : column->cards) take(card.face);
    }
    for (const std::string& card : table.hand) take(card);
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
      const auto& column = table.columns[at];
      if (column && column->cards.size() > 1) offers_[static_cast<int>(at)] = worth(*column);
    }
  }

  // The value of an action in tokens: got now, and hoped for on the next turn.
  double operator()(const Claim& claim) const { return offers_.at(claim.column); }
  double operator()(const Play& play) const {
    // A token from the bank, or one of our own onto the column.
    const int got = play.up ? std::min(table_.bank, 1) : -1;
    const int given = play.up ? 0 : 1;
    std::map<int, double> after = offers_;
    after[play.column] = worth(*table_.columns[static_cast<std::size_t>(play.column)], {play.card}) + given;
    std::vector<double> best_first;
    for (const auto& offer : after) best_first.push_back(offer.second);
    std::sort(best_first.begin(), best_first.end(), std::greater<>());
    // Every rival takes the best column that is left, before it is our turn again.
    const auto open = std::count(table_.in_round.begin(), table_.in_round.end(), true);
    const auto rivals = static_cast<std::size_t>(open - 1);
    const double left = rivals < best_first.size() ? best_first[rivals] : 0.0;
    return got + left - GIFT * best_first[0];
  }

 private:
  void take(const std::string& face) {
    const auto found = std::find(unseen_.begin(), unseen_.end(), face);
    if (found != unseen_.end()) unseen_.erase(found);
  }

  double worth(const Column& column, Faces cards = {}) const {
    // Whatever has not been seen may lie face down, all of it equally likely.
    int hidden = 0;
    for (const Card& card : column.cards) {
      if (card.face == "?") ++hidden;
      else cards.push_back(card.face);
    }
    int total = 0;
    int ways = 0;
    add_ways(cards, hidden, 0, total, ways);
    return static_cast<double>(total) / ways + column.tokens;
  }

  // Adds up the payments for all ways to take `more` of the unseen cards from `first` on.
  void add_ways(Faces& cards, int more, std::size_t first, int& total, int& ways) const {
    if (more == 0) {
      total += payment(cards);
      ++ways;
      return;
    }
    for (std::size_t at = first; at < unseen_.size(); ++at) {
      cards.push_back(unseen_[at]);
      add_ways(cards, more - 1, at + 1, total, ways);
      cards.pop_back();
    }
  }

  const Observation& table_;
  Faces unseen_;
  std::map<int, double> offers_;
};

}  // namespace pond

// Couperation: how far is a card from its place in an evenly filled tower?
namespace tower {

using namespace arena::couperation;

constexpr int FACE_DOWN = 10;  // a card face down is as bad as one that is so far from its place
constexpr int PAID = 2;        // the same for each card from hand that goes for one from the reserve

// How far a card is from the number that an evenly filled tower has in a slot.
int distance(int row, int slot, int card) {
  // From 1 to 49: a row goes up by eight, and a card above two others is halfway between them.
  return std::abs(card - (1 + 4 * (2 * slot + row)));
}

class Values {
 public:
  explicit Values(const Observation& table) : table_(table) {}

  // The value of an action: every card close to its place, and few cards spent on it.
  double operator()(const Draw& draw) const { return draw.count; }
  double operator()(const Place& place) const {
    if (!place.up) return -FACE_DOWN;
    return -distance(place.row, place.slot, place.card.number == FINISH ? 25 : place.card.number);
  }
  double operator()(const Reserve& use) const {
    return -distance(use.row, use.slot, use.take) - PAID * (2 + static_cast<int>(use.extra.size()));
  }
  double operator()(const Discard& discard) const {
    std::vector<int> distances;
    for (std::size_t row = 0; row < table_.tower.size(); ++row) {
      for (std::size_t slot = 0; slot < table_.tower[row].size(); ++slot) {
        const auto& laid = table_.tower[row][slot];
        if (!laid || !laid->up) distances.push_back(distance(int(row), int(slot), discard.card));
      }
    }
    return distances.empty() ? 0 : *std::min_element(distances.begin(), distances.end());
  }

 private:
  const Observation& table_;
};

}  // namespace tower

class Greedy : public arena::Bot {
 public:
  Greedy() : Bot("greedy", {"2.0", {"donburiko", "couperation"}}) {}

  arena::Action choose(arena::Turn& turn) override {
    if (turn.game == "donburiko") {
      const auto table = arena::donburiko::observation(turn.observation);
      return best(arena::donburiko::legal_actions(turn.legal_actions), pond::Values(table), turn.rng);
    }
    const auto table = arena::couperation::observation(turn.observation);
    return best(arena::couperation::legal_actions(turn.legal_actions), tower::Values(table), turn.rng);
  }

 private:
  // The action with the highest value; dice decide between equal ones.
  template <class Action, class Values>
  static Action best(const std::vector<Action>& actions, Values value_of, arena::Rng& rng) {
    std::vector<const Action*> found;
    double most = 0;
    for (const Action& action : actions) {
      const double value = std::visit(value_of, action);
      if (found.empty() || value > most) {
        found.clear();
        most = value;
      }
      if (value == most) found.push_back(&action);
    }
    return *rng.choice(found);
  }
};

}  // namespace

int main() { return Greedy().run(); }
