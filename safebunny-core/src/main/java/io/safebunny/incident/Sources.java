// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.node.Node;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.saga.management.SagaSupervision;

/**
 * Where one test comes from. Confined to one thread.
 *
 * @param home package of the application; empty if it is not known
 */
record Sources(Node node, SagaSupervision sagas, QueuePoisonMessages poison, Masking masking, String home) {

    Readability readability() {
        return new Readability(node);
    }

    Witness witness() {
        return new Witness(node.details());
    }
}
