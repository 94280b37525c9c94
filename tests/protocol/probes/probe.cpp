// A bot that does one of the things that the tests of all SDKs look at: `probe MODE [FILE]`.

#include <cmath>
#include <fstream>
#include <iostream>

#include "arena_bot.hpp"

namespace {

using arena::Json;

void say(Json::Object fields) { std::cerr << Json(std::move(fields)).text() << "\n"; }

template <class Typed>
Json plain(const std::vector<Typed>& values) {
  Json::Array list;
  for (const Typed& value : values) list.push_back(arena::plain(value));
  return list;
}

class Echo : public arena::Bot {
 public:
  Echo() : Bot("Echo") {}

  void start(arena::Match& match) override {
    say({{"type", "start"},
         {"game", match.game},
         {"variant", match.variant},
         {"players", match.players},
         {"seat", match.seat},
         {"seed", match.seed},
         {"move_ms", match.move_ms},
         {"extra_ms", match.extra_ms},
         {"memory_mb", limits.empty() ? Json() : Json(limits.at("memory_mb"))}});
  }

  arena::Action choose(arena::Turn& turn) override {
    Json::Array typed;
    if (turn.observation.find("bank")) {
      namespace game = arena::donburiko;
      typed = {arena::plain(game::observation(turn.observation)), plain(game::events(turn.events)),
               plain(game::legal_actions(turn.legal_actions))};
    } else {
      namespace game = arena::couperation;
      typed = {arena::plain(game::observation(turn.observation)), plain(game::events(turn.events)),
               plain(game::legal_actions(turn.legal_actions))};
    }
    say({{"type", "act"},
         {"observation", turn.observation},
         {"events", turn.events},
         {"legal_actions", turn.legal_actions},
         {"move_ms", turn.move_ms},
         {"extra_ms", turn.extra_ms},
         {"typed", typed},
         {"fine", turn.seat == turn.match.seat && turn.elapsed_ms() >= 0 && turn.elapsed_ms() < 20000}});
    if (turn.legal_actions.empty()) return Json(Json::Object{{"seat", turn.observation["seat"]}});
    return typed[2].as_array().back();
  }

  void end(const arena::Result& result) override {
    say({{"type", "end"},
         {"events", result.events},
         {"scores", arena::plain(result.scores)},
         {"ranks", arena::plain(result.ranks)},
         {"reason", result.reason}});
  }
};

class Dice : public arena::Bot {
 public:
  Dice() : Bot("Dice") {}
  arena::Action choose(arena::Turn& turn) override { return turn.rng.choice(turn.legal_actions); }
};

int rng(const char* seed) {
  arena::Rng rng(std::stoull(seed));
  Json::Array words;
  for (int count = 0; count < 4; ++count) words.push_back(rng());
  Json::Array below;
  for (const std::uint64_t bound : {6ULL, (1ULL << 31) + 1, 1ULL, 1ULL << 32}) below.push_back(rng.below(bound));
  const double random = rng.random();
  std::vector<std::string> items{"a", "b", "c", "d", "e", "f", "g", "h"};
  const Json choice = rng.choice(items);
  rng.shuffle(items);
  std::cout << Json(Json::Array{words, below, random, choice, arena::plain(items)}).text() << "\n";
  return 0;
}

// Says of each line of the input whether it is JSON, and if it is, writes it anew.
int reread() {
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << Json::parse(line).text() << "\n";
    } catch (const std::runtime_error&) {
      std::cout << "refused\n";
    }
  }
  return 0;
}

int try_out(const char* file) {
  std::ifstream input(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  const auto last = [](const Json&, const arena::Actions& legal) { return legal.back(); };
  for (const Json& action : arena::answers(last, lines)) std::cout << action.text() << "\n";
  return 0;
}

Json first(const Json&, const arena::Actions& legal) { return legal.front(); }

Json stray(const Json&, const arena::Actions& legal) {
  std::cout << "thinking\n";
  return legal.front();
}

arena::Choose always(Json::Object action) {
  return [action](const Json&, const arena::Actions&) { return Json(action); };
}

}  // namespace

int main(int, char** arguments) {
  const std::string mode = arguments[1];
  if (mode == "echo") return Echo().run();
  if (mode == "dice") return Dice().run();
  if (mode == "first") return arena::run("first-legal", first, {"2.1", {"donburiko"}});
  if (mode == "deaf") {
    const auto choose = [](const Json&, const arena::Actions& legal) {
      return Json(Json::Object{{"column", legal.size()}});
    };
    return arena::run("deaf", choose, {"", {}, false});
  }
  if (mode == "throw") {
    return arena::run("thrower", [](const Json&, const arena::Actions&) -> Json {
      throw std::range_error("lost my way");
    });
  }
  if (mode == "nothing") return arena::run("nothing", [](const Json&, const arena::Actions&) { return Json(); });
  if (mode == "long") return arena::run("long", always({{"type", std::string(70000, 'x')}}));
  if (mode == "nan") return arena::run("nan", always({{"column", std::nan("")}}));
  if (mode == "stray") return arena::run("stray", stray);
  if (mode == "rng") return rng(arguments[2]);
  if (mode == "reread") return reread();
  return try_out(arguments[2]);
}
