// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import java.util.List;
import java.util.stream.IntStream;

/** Starts a saga; its id is the saga's. */
public record Order(String id, OrderKind kind) {

    /** Not the first, which is handled before the others have arrived. */
    private static final String POISON = "-3";

    /** Correlation ids of the messages published when it is placed. */
    public List<String> parts() {
        return IntStream.rangeClosed(1, kind.correlations())
                .mapToObj(part -> id + '-' + part)
                .toList();
    }

    /** Each part as an order of its own. */
    public List<Order> members() {
        return parts().stream().map(part -> new Order(part, kind)).toList();
    }

    /** Whether this part fails at every attempt. */
    public boolean isPoison(String part) {
        return kind.hasPoison() && part.endsWith(POISON);
    }
}
