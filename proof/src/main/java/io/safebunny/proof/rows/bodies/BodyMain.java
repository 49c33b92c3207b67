// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/** An instance that handles {@link Payment}s of one version, and ends when its standard input does. */
final class BodyMain {

    /** Of the database: for each place, and for itself. */
    private static final int CONNECTIONS = 16;

    private BodyMain() {}

    public static void main(String... arguments) throws IOException {
        BodyOptions options = BodyOptions.of(Objects.requireNonNull(System.getenv(BodyOptions.VARIABLE)));
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        try (SystemTimeline timeline = new SystemTimeline("instance");
                OpenStore store =
                        OpenStore.open(options.store(), options.address().node(), timeline, CONNECTIONS);
                Node node = new Node(
                        options.address(),
                        new Persistence(
                                store.store(), null, options.store().kind().lease()),
                        timeline,
                        transport -> transport,
                        parts -> parts.codecs(KeyFile.codecs(
                                KeyFile.keys(Path.of(options.keys())),
                                options.bodies() == null ? null : Path.of(options.bodies()),
                                timeline)))) {
            node.start(new PaymentHandler(options, Objects.requireNonNull(store.work()), node, timeline).definitions());
            ledger.write(Kind.STARTED, "", "");
            while (System.in.read() >= 0) {
                // nothing is ever written; the stream ends when the process is to end
            }
        }
        System.exit(0);
    }
}
