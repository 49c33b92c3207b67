// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.queue.PoisonDigest;
import java.util.HashMap;
import java.util.Map;

/**
 * Remembers the copies that an operation has judged and leaves in the queue, so that after putting them back it judges none of them twice.
 * Equal copies are counted. Confined to one thread.
 */
final class JudgedCopies {

    private final Map<String, Integer> staying = new HashMap<>();
    private final Map<String, Integer> toCome = new HashMap<>();

    void add(WireMessage copy) {
        staying.merge(key(copy), 1, Integer::sum);
    }

    /** Call when all judged copies are back in the queue, in any order. */
    void putBack() {
        toCome.clear();
        toCome.putAll(staying);
    }

    /** Whether such a copy was judged before, and has not come again. */
    boolean isToCome(WireMessage copy) {
        return !toCome.isEmpty() && toCome.containsKey(key(copy));
    }

    /**
     * Call for each copy that is taken: if it was judged before, strikes it off the list.
     *
     * @return {@code false} if the copy was not judged yet
     */
    boolean removeToCome(WireMessage copy) {
        if (toCome.isEmpty()) {
            return false;
        }
        String key = key(copy);
        Integer copies = toCome.get(key);
        if (copies == null) {
            return false;
        }
        toCome.compute(key, (same, count) -> copies == 1 ? null : copies - 1);
        return true;
    }

    /** A key for the copy, of bounded size whatever the copy contains. */
    private static String key(WireMessage copy) {
        return PoisonDigest.of(copy) + number(copy, Headers.POISONED_AT) + number(copy, Headers.POISON_VERSION);
    }

    private static String number(WireMessage copy, String header) {
        return copy.headers().get(header) instanceof Number number ? "/" + number.longValue() : "/";
    }
}
