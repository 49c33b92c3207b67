// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.Connection;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.publish.PublisherPool.Outgoing;
import io.safebunny.rabbit.publish.PublisherPool.Source;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One place in the pool: opens its channel on demand, writes to it, and records when a write began, so that the pool's sweep can detect a
 * stuck one. Used by one publisher at a time; the sweep reads it concurrently.
 */
final class PublisherSlot {

    /** A connection counts as stuck if a write is overdue and no write has finished for this long. */
    private static final Duration STUCK = Duration.ofMillis(500);

    /** The same limit for opening a channel or declaring a queue, which take longer on a busy cluster. */
    private static final Duration STUCK_ASKING = Duration.ofSeconds(5);

    private final ConnectionKeeper.Preparation repair;
    private final Timeline timeline;
    private volatile @Nullable PublisherChannel channel;
    private volatile long wroteAt;
    private @Nullable Deadline deadline;
    private volatile long since;
    private volatile boolean asking;
    /** Set during a write. Assigned after the fields above, so that the sweep sees them. */
    private volatile @Nullable Connection writingTo;

    PublisherSlot(ConnectionKeeper.Preparation repair, Timeline timeline) {
        this.repair = repair;
        this.timeline = timeline;
        this.wroteAt = timeline.nanoTime();
    }

    void write(Connection open, Publication publication, Source source, CompletableFuture<Void> future, Deadline until)
            throws IOException {
        deadline = until;
        asking = true;
        since = timeline.nanoTime();
        writingTo = open;
        try {
            PublisherChannel ready = channel(open);
            Outgoing outgoing = source.get();
            since = timeline.nanoTime();
            asking = false;
            WireMessage wire = outgoing.message();
            Pending message = new Pending(publication, outgoing.destination(), wire.body().length, future, until);
            if (ready.publish(message, wire, outgoing.headers(), outgoing.user())) {
                wroteAt = timeline.nanoTime();
            }
        } finally {
            writingTo = null;
        }
    }

    private PublisherChannel channel(Connection open) throws IOException {
        PublisherChannel ready = channel;
        if (ready == null || !ready.isOpen()) {
            if (ready != null && ready.missedAnExchange()) {
                repair.prepare(open);
            }
            ready = PublisherChannel.open(open);
            channel = ready;
        }
        return ready;
    }

    /** Fails publications past their deadline. */
    void expire() {
        PublisherChannel opened = channel;
        if (opened != null) {
            opened.expire();
        }
    }

    /** Whether no write has finished here for {@link #STUCK}. */
    boolean isQuiet(long now) {
        return now - wroteAt >= STUCK.toNanos();
    }

    /** The connection of a write that has exceeded both its deadline and the limit for stuck writes; {@code null} if there is none. */
    @Nullable
    Connection overdue(long now) {
        Connection writing = writingTo;
        Deadline until = deadline;
        boolean late = until != null && until.isOver() && now - since >= (asking ? STUCK_ASKING : STUCK).toNanos();
        return writing != null && late ? writing : null;
    }
}
