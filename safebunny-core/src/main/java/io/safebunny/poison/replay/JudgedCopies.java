// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.queue.PoisonDigest;
import java.util.HashMap;
import java.util.Map;

/**
 * Copies that an operation has judged and leaves in the queue, so that it judges none twice after putting them back. Equal copies are
 * counted. Confined to one thread.
 */
final class JudgedCopies {

    private final Map<String, Integer> staying = new HashMap<>();
    private final Map<String, Integer> toCome = new HashMap<>();

    void add(WireMessage copy) {
        staying.merge(key(copy), 1, Integer::sum);
    }

    /** Call it when all of them are in the queue again, in any order. */
    void putBack() {
        toCome.clear();
        toCome.putAll(staying);
    }

    /**
     * Takes a copy that has come again off the list.
     *
     * @return {@code false} if it was not judged yet
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

    /** Of bounded size, whatever the copy contains. */
    private static String key(WireMessage copy) {
        return PoisonDigest.of(copy) + number(copy, Headers.POISONED_AT) + number(copy, Headers.POISON_VERSION);
    }

    private static String number(WireMessage copy, String header) {
        return copy.headers().get(header) instanceof Number number ? "/" + number.longValue() : "/";
    }
}
