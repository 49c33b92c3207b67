// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import java.util.List;

/** One message type a node consumes, and the nodes whose publications of it the queue receives. */
public record Subscription(String type, List<String> from) {

    public Subscription {
        from = List.copyOf(from);
    }
}
