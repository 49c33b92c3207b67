// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import java.util.HashMap;
import java.util.Map;

/** What stands for an id: always the same in one sample, and nobody can tell from it what the id is. Confined to one thread. */
final class Pseudonyms {

    private final Map<String, String> byId = new HashMap<>();

    String of(String id) {
        return byId.computeIfAbsent(id, unused -> "id-" + (byId.size() + 1));
    }
}
