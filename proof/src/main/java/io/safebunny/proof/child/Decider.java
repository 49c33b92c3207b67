// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.child;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.Verdict;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.OrderKind;
import io.safebunny.time.Timeline;
import java.time.Duration;

/** The person who decides on what holds others, as soon as the stage says so: replays it, and discards what was handled since; or discards it. Thread-safe. */
record Decider(Node node, ChildOptions options, Timeline timeline) {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Decides again and again, until the thread is interrupted: a process may have ended in the middle. */
    void decide() {
        try {
            while (true) {
                timeline.sleep(PAUSE);
                if (options.hasBeenDecided()) {
                    decideOnce();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void decideOnce() throws InterruptedException {
        PoisonFilter all = PoisonFilter.all();
        try {
            PoisonMessages poison = node.poisonMessages();
            if (options.kind() == OrderKind.IN_ORDER_DISCARDED) {
                poison.discard(request(all)).await(PATIENCE);
                return;
            }
            poison.replay(request(all)).await(PATIENCE);
            poison.discard(request(all.withVerdict(Verdict.DONE))).await(PATIENCE);
        } catch (RuntimeException e) {
            return; // the node is stopping
        }
    }

    private static PoisonRequest request(PoisonFilter filter) {
        return PoisonRequest.of(filter, "matrix", "decided");
    }
}
