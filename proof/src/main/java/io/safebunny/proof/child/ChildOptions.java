// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.handler.Sharding;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.proof.store.StoreAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * @param process its name in the ledger
 * @param desk name of the node whose orders it works on
 * @param ledger port of the ledger
 * @param places the order it places, if any
 * @param kind of the orders that it works on
 * @param sharding how it divides them; {@code null} if they have no shards
 * @param decided file that is there once a person may decide on what holds others
 */
public record ChildOptions(
        String process,
        NodeAddress address,
        String desk,
        StoreAddress store,
        int ledger,
        Plan plan,
        @Nullable Order places,
        OrderKind kind,
        @Nullable Sharding sharding,
        String decided) {

    /** Environment variable of the child that holds the options. */
    static final String VARIABLE = "SAFEBUNNY_CRASH_CHILD";

    private static final JsonMapper JSON = new JsonMapper();

    boolean hasBeenDecided() {
        return Files.exists(Path.of(decided));
    }

    String toText() {
        return JSON.writeValueAsString(this);
    }

    static ChildOptions of(String text) {
        return JSON.readValue(text, ChildOptions.class);
    }
}
