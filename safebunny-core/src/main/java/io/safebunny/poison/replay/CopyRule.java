// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.replay.PoisonReader.Copy;
import io.safebunny.topology.Topology;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides what an operation does with each matching copy. For one operation, on one thread. */
@FunctionalInterface
interface CopyRule {

    /** The message to send; {@code null} if the copy stays where it is, as its verdict explains. */
    @Nullable
    OutboundMessage of(Copy copy);

    /** Called before the copy is moved; never in a dry run. */
    default void moving(Copy copy) {}

    /** Called when the copy was moved or, in a dry run, would have been. */
    default void moved(Copy copy) {}

    /** Replay: each message goes back to the queue of its handler once, if its verdict allows it. */
    static CopyRule replay(PoisonRequest request) {
        return new Replay(request);
    }

    /**
     * Discard: copies go to the archive as they are, except those of messages that are busy or could not be judged.
     *
     * @param before told of each copy before it is moved
     */
    static CopyRule discard(String node, Consumer<WireMessage> before) {
        Route archive = new Route.ToQueue(Topology.archiveOf(node));
        return new CopyRule() {
            @Override
            public @Nullable OutboundMessage of(Copy copy) {
                return copy.shown().verdict().isDiscarded() ? unchanged(copy, archive) : null;
            }

            @Override
            public void moving(Copy copy) {
                before.accept(copy.wire());
            }
        };
    }

    /** Restore: copies go back from the archive to the poison queue as they are. */
    static CopyRule restore(String node) {
        return copy -> unchanged(copy, new Route.Poison(node));
    }

    /**
     * The copy as it is, but without the headers that the broker acts on, which a sender may have written, and without those in which the
     * broker counts per queue.
     */
    private static OutboundMessage unchanged(Copy copy, Route to) {
        WireMessage wire = copy.wire();
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        headers.keySet().removeIf(Headers::isOfOneRouting);
        return new OutboundMessage(wire.withHeaders(headers), to, Duration.ZERO);
    }

    /** Moves only one copy of each message, and none that has come back in the meantime. */
    final class Replay implements CopyRule {

        private final Set<String> replayed = new HashSet<>();

        private final PoisonRequest request;

        private Replay(PoisonRequest request) {
            this.request = request;
        }

        @Override
        public @Nullable OutboundMessage of(Copy copy) {
            PoisonedMessage shown = copy.shown();
            boolean again = !shown.digest().isEmpty() && replayed.contains(shown.digest());
            return again || copy.replayed() == null || !isReplayed(shown.verdict())
                    ? null
                    : new OutboundMessage(copy.replayed(), new Route.ToQueue(copy.address()), Duration.ZERO);
        }

        /** What a saga may not want any more is moved only by those who name it, so that they have read why. */
        private boolean isReplayed(Verdict verdict) {
            boolean isNamed = request.filter().verdict() == verdict
                    || request.filter().messageIds().size() == 1;
            return verdict.isReplayed() || (verdict.isReplayedByName() && request.forced() && isNamed);
        }

        @Override
        public void moved(Copy copy) {
            replayed.add(copy.shown().digest());
        }
    }
}
