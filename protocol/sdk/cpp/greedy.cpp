// Looks one action ahead, in both games: gives every legal action a value and takes the best.
// It plays as bots/greedy.py does, where bots/README.md says how it thinks; its dice differ.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>
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

// Couperation: which action leaves the most room where a card is still lacking?
namespace tower {

using namespace arena::couperation;

constexpr double HOPELESS = 2;   // cost of a slot that no card is left for; for a single card, 1
constexpr double FACE_DOWN = 1;  // cost of a card face down
constexpr double RESERVE = 0.5;  // cost of each card from hand that goes for one from the reserve
constexpr double DRAW = 0.1;     // value of a card that the next player may draw
constexpr int ROWS = 7;
constexpr int PLACES = 28;

// One number for each slot, row by row.
using Numbers = std::array<int, PLACES>;

bool exists(int row, int slot) { return row >= 0 && slot >= 0 && row + slot < ROWS; }

std::size_t at(int row, int slot) {
  return static_cast<std::size_t>(row * ROWS - row * (row - 1) / 2 + slot);
}

struct Neighbours {
  std::vector<std::size_t> left_to_right;
  std::array<std::vector<std::size_t>, PLACES> smaller;  // slots whose cards must be smaller
  std::array<std::vector<std::size_t>, PLACES> greater;

  Neighbours() {
    for (int across = 0; across <= 2 * ROWS; ++across) {
      for (int row = 0; row < ROWS; ++row) {
        const int slot = (across - row) / 2;
        if (2 * slot + row != across || !exists(row, slot)) continue;
        left_to_right.push_back(at(row, slot));
        const std::array<std::array<int, 2>, 3> lower = {
            {{row, slot - 1}, {row - 1, slot}, {row + 1, slot - 1}}};
        for (const auto& [other_row, other_slot] : lower) {
          if (!exists(other_row, other_slot)) continue;
          smaller[at(row, slot)].push_back(at(other_row, other_slot));
          greater[at(other_row, other_slot)].push_back(at(row, slot));
        }
      }
    }
  }
};

const Neighbours NEIGHBOURS;

// The lowest and highest card of each slot in a complete tower around this one, which has a card
// or 0 for each slot.
std::pair<Numbers, Numbers> limits(const Numbers& laid) {
  Numbers low{};
  Numbers high{};
  const auto& order = NEIGHBOURS.left_to_right;
  for (const std::size_t slot : order) {
    for (const std::size_t other : NEIGHBOURS.smaller[slot]) low[slot] = std::max(low[slot], low[other]);
    low[slot] = laid[slot] ? laid[slot] : low[slot] + 1;
  }
  for (auto slot = order.rbegin(); slot != order.rend(); ++slot) {
    high[*slot] = 51;
    for (const std::size_t other : NEIGHBOURS.greater[*slot]) {
      high[*slot] = std::min(high[*slot], high[other]);
    }
    high[*slot] = laid[*slot] ? laid[*slot] : high[*slot] - 1;
  }
  return {low, high};
}

// A sum over the slots that lack a card face up: the fewer cards fit, the more.
double trouble(const Numbers& laid, const std::vector<int>& removed) {
  std::array<bool, 51> gone{};
  for (const int card : laid) gone[static_cast<std::size_t>(card)] = true;
  for (const int card : removed) gone[static_cast<std::size_t>(card)] = true;
  std::array<int, 51> up_to{};
  for (std::size_t card = 1; card < up_to.size(); ++card) up_to[card] = up_to[card - 1] + !gone[card];
  const auto [low, high] = limits(laid);
  double cost = 0;
  for (std::size_t slot = 0; slot < laid.size(); ++slot) {
    if (laid[slot]) continue;
    int fitting = 0;
    if (low[slot] <= high[slot]) {
      fitting = up_to[static_cast<std::size_t>(high[slot])] - up_to[static_cast<std::size_t>(low[slot] - 1)];
    }
    cost += fitting ? 1 / std::sqrt(fitting) : HOPELESS;
  }
  return cost;
}

// The diamonds on a card: every fifth card has a heart instead.
int diamonds(int card) { return card % 5 ? card % 3 : 0; }

// How many cards a card in a slot lets the next player draw.
int drawn(const Numbers& laid, int row, int slot, int card) {
  if (card % 5) return diamonds(card);
  if (row == 0) return 0;
  return diamonds(laid[at(row - 1, slot)]) + diamonds(laid[at(row - 1, slot + 1)]);
}

class Values {
 public:
  explicit Values(const Observation& table) : removed_(table.removed) {
    for (std::size_t row = 0; row < table.tower.size(); ++row) {
      for (std::size_t slot = 0; slot < table.tower[row].size(); ++slot) {
        const auto& filled = table.tower[row][slot];
        if (filled && filled->up) laid_[at(int(row), int(slot))] = number(*filled->card);
      }
    }
  }

  // The value of an action: little trouble left in the tower, cards to draw.
  double operator()(const Draw& draw) { return draw.count; }
  double operator()(const Place& place) {
    if (place.up) return face_up(place.row, place.slot, number(place.card));
    return -trouble(laid_, removed_) - FACE_DOWN;
  }
  double operator()(const Reserve& use) {
    return face_up(use.row, use.slot, use.take) - RESERVE * static_cast<double>(2 + use.extra.size());
  }
  double operator()(const Discard& discard) {
    const auto [low, high] = limits(laid_);
    int fits = 0;
    for (std::size_t slot = 0; slot < laid_.size(); ++slot) {
      fits += low[slot] <= discard.card && discard.card <= high[slot];
    }
    return -fits;
  }

 private:
  static int number(Card card) { return card.number == FINISH ? 25 : card.number; }

  // Many actions differ only in the cards that are paid, so each way to lay one is judged once.
  double face_up(int row, int slot, int card) {
    const auto [judged, is_new] = judged_.try_emplace({row, slot, card}, 0.0);
    if (is_new) {
      Numbers after = laid_;
      after[at(row, slot)] = card;
      judged->second = DRAW * drawn(laid_, row, slot, card) - trouble(after, removed_);
    }
    return judged->second;
  }

  Numbers laid_{};  // cards face up
  std::vector<int> removed_;
  std::map<std::tuple<int, int, int>, double> judged_;
};

}  // namespace tower

class Greedy : public arena::Bot {
 public:
  Greedy() : Bot("greedy", {"1.0", {"donburiko", "couperation"}}) {}

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
