from arena.store.cache import CachedRatings, load_ratings, save_ratings
from arena.store.db import Store


def test_ratings_are_kept_for_a_pool_whatever_its_order_and_replaced(store: Store) -> None:
    save_ratings(store, ["b", "a"], "donburiko-2p", CachedRatings("d1", b'{"x":1}'))
    save_ratings(store, ["a", "b"], "donburiko-2p", CachedRatings("d2", b'{"x":2}'))

    assert load_ratings(store, ["b", "a"], "donburiko-2p") == CachedRatings("d2", b'{"x":2}')
    assert load_ratings(store, ["a"], "donburiko-2p") is None
    assert load_ratings(store, ["a", "b"], "donburiko-3p") is None
