// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix.stage;

import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.time.Timeline;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stage's view of its store. A file that one process has open is queried through that process, and opened here only if there is
 * none: a stage that kept it open would keep the database alive through every crash.
 */
final class StoreView implements AutoCloseable {

    private final StoreAddress address;
    private final String node;
    private final Timeline timeline;
    private final Supplier<@Nullable StoreAddress> reachable;
    private final @Nullable OpenStore shared;

    /** @param reachable how to reach the file of one process now, or {@code null} while that is unknown */
    StoreView(StoreAddress address, String node, Timeline timeline, Supplier<@Nullable StoreAddress> reachable) {
        this.address = address;
        this.node = node;
        this.timeline = timeline;
        this.reachable = reachable;
        this.shared = address.kind().isOfOneProcess() ? null : OpenStore.open(address, node, timeline);
    }

    /** The answer, or {@code null} if the store cannot be queried now. */
    <T> @Nullable T ask(Function<OpenStore, @Nullable T> question) {
        if (shared != null) {
            return question.apply(shared);
        }
        StoreAddress now = reachable.get();
        if (now == null) {
            return null;
        }
        try (OpenStore open = OpenStore.open(now, node, timeline)) {
            return question.apply(open);
        } catch (RuntimeException e) {
            if (now.equals(address)) {
                throw e;
            }
            return null; // the process that had it open has just ended
        }
    }

    @Override
    public void close() {
        if (shared != null) {
            shared.close();
        }
    }
}
