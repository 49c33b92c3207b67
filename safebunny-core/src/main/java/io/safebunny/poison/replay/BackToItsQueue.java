// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.replay.PoisonReader.Copy;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A replay: each message goes back to the queue of its handler, if its verdict says so, and once. */
final class BackToItsQueue implements CopyRule {

    /** Digests, so that neither a second copy nor one that came back meanwhile is moved too. */
    private final Set<String> replayed = new HashSet<>();

    @Override
    public @Nullable OutboundMessage of(Copy copy) {
        PoisonedMessage shown = copy.shown();
        boolean again = !shown.digest().isEmpty() && replayed.contains(shown.digest());
        return again || copy.replayed() == null || !shown.verdict().isReplayed()
                ? null
                : new OutboundMessage(copy.replayed(), new Route.ToQueue(shown.queue()), Duration.ZERO);
    }

    @Override
    public void moved(Copy copy) {
        replayed.add(copy.shown().digest());
    }
}
