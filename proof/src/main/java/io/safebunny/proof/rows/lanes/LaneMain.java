// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.util.Objects;

/** An instance that handles {@link Step}s in order, and ends when its standard input does. */
final class LaneMain {

    /** Of the database: for what it handles from the queues and from lanes, and for itself. */
    private static final int CONNECTIONS = 24;

    private LaneMain() {}

    public static void main(String... arguments) throws IOException {
        LaneOptions options = LaneOptions.of(Objects.requireNonNull(System.getenv(LaneOptions.VARIABLE)));
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        try (SystemTimeline timeline = new SystemTimeline("instance");
                OpenStore store =
                        OpenStore.open(options.store(), options.address().node(), timeline, CONNECTIONS);
                Node node = new Node(
                        options.address(),
                        new Persistence(
                                store.store(), null, options.store().kind().lease()),
                        timeline,
                        transport -> transport)) {
            EffectTable table = store.database() == null ? null : new EffectTable(store.database());
            node.start(new StepHandlers(options, table, ledger, node, timeline).handlers());
            ledger.write(Kind.STARTED, "", "");
            while (System.in.read() >= 0) {
                // nothing is ever written; the stream ends when the process is to end
            }
        }
        System.exit(0);
    }
}
