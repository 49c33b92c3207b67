// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import java.util.List;
import java.util.stream.IntStream;

/** Starts a saga; its id is the saga's. */
public record Order(String id, OrderKind kind) {

    /** Correlation ids of the messages published when it is placed. */
    public List<String> parts() {
        return IntStream.rangeClosed(1, kind.correlations())
                .mapToObj(part -> id + '-' + part)
                .toList();
    }
}
