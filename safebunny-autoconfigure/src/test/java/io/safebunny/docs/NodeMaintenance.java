// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import java.time.Duration;

/** docs/circuit-breaker.md, on all instances. */
final class NodeMaintenance {

    private final BunnyOperations operations;

    NodeMaintenance(BunnyOperations operations) {
        this.operations = operations;
    }

    BunnyOperations.Result pauseAndResume() {
        BunnyOperations.Result result =
                operations.pause("OrderPlaced", Duration.ofMinutes(10), Scope.NODE, "provider is down", "ann");
        operations.resume("OrderPlaced", Scope.NODE, "provider is back", "ann");
        return result;
    }
}
