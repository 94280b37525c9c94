// Takes any legal action, with dice seeded by the match: the least that a bot should beat.

#include "arena_bot.hpp"

class RandomLegal : public arena::Bot {
 public:
  RandomLegal() : Bot("random", {"1.0"}) {}

  arena::Action choose(arena::Turn& turn) override { return turn.rng.choice(turn.legal_actions); }
};

int main() { return RandomLegal().run(); }
