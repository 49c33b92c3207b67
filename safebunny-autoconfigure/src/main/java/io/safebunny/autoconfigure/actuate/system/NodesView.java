// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.system;

import io.safebunny.failure.MisuseException;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.operations.questions.Nodes.Listing;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The nodes and instances on the broker, asked anew. Blocks for about two seconds at most. Thread-safe. */
public final class NodesView {

    /** Longer than a round of questions lasts. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Nodes nodes;
    private final Timeline timeline;

    public NodesView(Nodes nodes, Timeline timeline) {
        this.nodes = nodes;
        this.timeline = timeline;
    }

    /**
     * All nodes, or one of them.
     *
     * @param path empty, or the name of a node
     * @return {@code null} if the path leads to nothing
     * @throws MisuseException SB-5005 if this instance cannot ask, because it stops or has no thread for it
     */
    public @Nullable Object look(List<String> path) {
        if (path.size() > 1) {
            return null;
        }
        Listing listing = listing();
        return path.isEmpty()
                ? listing
                : listing.nodes().stream()
                        .filter(node -> node.node().equals(path.get(0)))
                        .findFirst()
                        .orElse(null);
    }

    private Listing listing() {
        CompletableFuture<Listing> listing = nodes.list();
        try {
            if (Deadline.after(PATIENCE, timeline).await(listing)) {
                return listing.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new MisuseException(
                MisuseException.NOT_RUNNING,
                "The nodes were not listed in time, because this instance stops or has no thread for it. Use the endpoint of another instance, or ask again.");
    }
}
