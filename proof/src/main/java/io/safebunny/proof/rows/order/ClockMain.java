// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.proof.child.JumpingTimeline;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;

/** An instance whose clock is wrong: handles {@link Expiring} messages, and shuts down cleanly once its standard input ends. */
final class ClockMain {

    private ClockMain() {}

    public static void main(String... arguments) throws IOException {
        ClockOptions options = ClockOptions.of(Objects.requireNonNull(System.getenv(ClockOptions.VARIABLE)));
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        try (SystemTimeline system = new SystemTimeline("instance")) {
            JumpingTimeline timeline = new JumpingTimeline(system);
            timeline.jump(Duration.ofMillis(options.millisAhead()));
            try (OpenStore store =
                            OpenStore.open(options.store(), options.address().node(), timeline);
                    Node node = new Node(
                            options.address(),
                            new Persistence(
                                    store.store(), null, options.store().kind().lease()),
                            timeline,
                            transport -> transport)) {
                node.start(
                        new Expiring(options.from(), Objects.requireNonNull(store.work()), new Random(options.seed()))
                                .handlers());
                ledger.write(Kind.STARTED, "", "");
                while (System.in.read() >= 0) {
                    // nothing is ever written; the stream ends when the process is to end
                }
            }
        }
        System.exit(0);
    }
}
