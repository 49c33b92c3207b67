// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.failure.BrowsingException;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.elsewhere.OtherOperations;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Shows all copies of the poison queue or its archive to somebody who only looks. Thread-safe; blocks. */
public final class WholeQueue {

    /** Copies that are taken for one look; the broker keeps them for nobody else as long. */
    static final int MOST = 20_000;

    private final Browsing browsing;
    private final OtherOperations others;
    private final OperationQueue operations;
    private final String queue;
    private final String archive;

    WholeQueue(Browsing browsing, OtherOperations others, OperationQueue operations, String queue, String archive) {
        this.browsing = browsing;
        this.others = others;
        this.operations = operations;
        this.queue = queue;
        this.archive = archive;
    }

    /**
     * Those that are set aside. Copies that come while it looks may be left out.
     *
     * @return why not all were shown, as a part of a sentence with what to do; {@code null} if all were
     */
    public @Nullable String setAside(Consumer<WireMessage> each) {
        return look(queue, each);
    }

    /** Those that were discarded. */
    public @Nullable String archived(Consumer<WireMessage> each) {
        return look(archive, each);
    }

    /**
     * When an operation of this instance last sent a copy to where it may be handled later: as if it were new, whatever its age. {@code null}
     * if none has since the start.
     */
    public @Nullable Instant broughtBackAt() {
        return operations.broughtBackAt();
    }

    private @Nullable String look(String from, Consumer<WireMessage> each) {
        try {
            return others.whyNotAll(() -> browsing.<@Nullable String>alone(from, browsed -> shown(browsed, each)));
        } catch (BrowsingException e) {
            return e.messageWithoutCode();
        }
    }

    private static @Nullable String shown(BrowsedQueue browsed, Consumer<WireMessage> each) {
        Delivery delivery = null;
        for (int seen = 0; seen < MOST && (delivery = browsed.next()) != null; seen++) {
            each.accept(delivery.message().message());
        }
        return delivery == null && browsed.waiting() == 0
                ? null
                : "it has more than %s copies: replay or discard some".formatted(MOST);
    }
}
