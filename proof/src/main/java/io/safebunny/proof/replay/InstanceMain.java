// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.replay;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.Verdict;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.replay.InstanceOptions.Duty;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** An instance of the node: handles orders, replays when the ledger lets it, and shuts down cleanly once its standard input ends. */
final class InstanceMain {

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(300);
    private static final int PREFETCH = 10;

    private InstanceMain() {}

    public static void main(String... arguments) throws IOException, InterruptedException {
        InstanceOptions options = InstanceOptions.of(Objects.requireNonNull(System.getenv(InstanceOptions.VARIABLE)));
        LedgerClient ledger = new LedgerClient(options.ledger(), options.process());
        try (SystemTimeline timeline = new SystemTimeline("instance");
                OpenStore store =
                        OpenStore.open(options.store(), options.address().node(), timeline);
                Node node = new Node(
                        options.address(),
                        new Persistence(
                                store.store(), null, options.store().kind().lease()),
                        timeline,
                        transport -> new HaltedTransport(
                                transport, options.halt(), options.occurrence(), ledger, timeline))) {
            node.start(List.of(handler(options.from(), options.broken(), Objects.requireNonNull(store.work()))));
            ledger.write(Kind.STARTED, "", "");
            if (options.duty() != Duty.NONE) {
                ledger.write(
                        Kind.REPLAYED,
                        "",
                        replay(node.poisonMessages(), options, timeline).toText());
            }
            while (System.in.read() >= 0) {
                // nothing is ever written; the stream ends when the process is to end
            }
        }
        System.exit(0);
    }

    /** Its effect is a row in the transaction of its record. */
    static HandlerDefinition handler(String from, boolean broken, WorkTable work) {
        return new HandlerDefinition(
                "replay test",
                Order.class.getSimpleName(),
                Order.class,
                List.of(from),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {
                    if (broken) {
                        throw new PoisonMessageException("broken for a test");
                    }
                    work.add(((Order) payload).id(), UUID.randomUUID().toString());
                });
    }

    private static Replayed replay(PoisonMessages poison, InstanceOptions options, Timeline timeline)
            throws InterruptedException {
        PoisonRequest request = PoisonRequest.of(
                        PoisonFilter.all().withLimit(options.limit()), options.process(), "mended")
                .atRate(options.perSecond());
        if (options.duty() == Duty.COUNT) {
            return Replayed.NOTHING.and(poison.replay(request.asDryRun()).await(PATIENCE));
        }
        Progress progress = poison.replay(request).await(PATIENCE);
        Replayed replayed = Replayed.NOTHING.and(progress);
        while (options.duty() == Duty.REPLAY_ALL && !isSettled(progress)) {
            timeline.sleep(PAUSE);
            progress = poison.replay(request).await(PATIENCE);
            replayed = replayed.and(progress);
        }
        return replayed;
    }

    private static boolean isSettled(Progress progress) {
        return progress.moved() == 0
                && !progress.verdicts().containsKey(Verdict.BUSY)
                && !progress.verdicts().containsKey(Verdict.UNKNOWN);
    }
}
