// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.order;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.rate.HandlingRate;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** An instance whose handler has a rate: tells the ledger when it begins, and ends when its standard input does. */
final class PacedMain {

    private static final int PREFETCH = 10;

    /** What is handled. */
    record Mail(int number) {}

    private PacedMain() {}

    public static void main(String... arguments) throws IOException {
        PacedOptions options = PacedOptions.of(Objects.requireNonNull(System.getenv(PacedOptions.VARIABLE)));
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        try (SystemTimeline timeline = new SystemTimeline("instance");
                OpenStore store =
                        OpenStore.open(options.store(), options.address().node(), timeline);
                Node node = new Node(
                        options.address(),
                        new Persistence(
                                store.store(), null, options.store().kind().lease()),
                        timeline,
                        transport -> transport)) {
            node.start(List.of(new HandlerDefinition(
                            "proof",
                            Mail.class.getSimpleName(),
                            Mail.class,
                            List.of(options.from()),
                            PREFETCH,
                            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                            (payload, context) ->
                                    ledger.write(Kind.HANDLING, context.messageId(), String.valueOf(System.nanoTime())))
                    .limited(HandlingRate.parse(options.rate()))));
            ledger.write(Kind.STARTED, "", "");
            while (System.in.read() >= 0) {
                // nothing is ever written; the stream ends when the process is to end
            }
        }
        System.exit(0);
    }
}
