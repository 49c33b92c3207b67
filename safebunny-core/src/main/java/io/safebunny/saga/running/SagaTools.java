// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.running;

import io.safebunny.handling.Handling;
import io.safebunny.node.Node;
import io.safebunny.observation.Metrics;
import io.safebunny.saga.document.SagaMessages;
import io.safebunny.time.Timeline;
import java.util.Objects;

/** What every kind of saga of a node works with. */
record SagaTools(Node node, SagaMessages messages, Compensation compensation) {

    Timeline timeline() {
        return node.timeline();
    }

    Metrics metrics() {
        return node.metrics();
    }

    /** The message that this thread is handling. */
    Handling handling() {
        return Objects.requireNonNull(node.current().get(), "a message of a saga is handled within its engine");
    }
}
