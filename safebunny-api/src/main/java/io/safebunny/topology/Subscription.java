// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import java.util.List;

/** A message type that a node consumes, and the nodes whose publications of it its queue receives. */
public record Subscription(String type, List<String> from) {

    public Subscription {
        from = List.copyOf(from);
    }
}
