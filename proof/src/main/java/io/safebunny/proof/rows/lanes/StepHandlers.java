// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.ledger.LedgerClient;
import io.safebunny.proof.rows.lanes.Step.Done;
import io.safebunny.proof.rows.lanes.Step.Holding;
import io.safebunny.proof.rows.lanes.Step.Skipping;
import io.safebunny.proof.saga.Node;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an instance does with {@link Step}s. Thread-safe.
 *
 * @param table where it writes effects in the transaction of the message; {@code null} if there is none, so that it tells the ledger and publishes
 * @param node publishes
 */
record StepHandlers(
        LaneOptions options, @Nullable EffectTable table, LedgerClient ledger, Node node, Timeline timeline) {

    private static final int PREFETCH = 10;
    /** Of each shard. */
    private static final int PLACES = 2;

    private static final Duration WORK = Duration.ofMillis(20);
    private static final RecoveryPolicy POLICY = RecoveryPolicy.of(
            RetryStrategy.none(), new RetryStrategy(List.of(Duration.ofMillis(200), Duration.ofSeconds(1)), 0));

    List<HandlerDefinition> handlers() {
        return List.of(handler(Skipping.class, Ordering.SKIP), handler(Holding.class, Ordering.HOLD));
    }

    private HandlerDefinition handler(Class<? extends Step> type, Ordering ordering) {
        return new HandlerDefinition(
                        "proof",
                        type.getSimpleName(),
                        type,
                        List.of(options.from()),
                        Math.max(PREFETCH, PLACES * options.shards()),
                        POLICY,
                        (payload, context) -> handle((Step) payload, context))
                .ordered(ordering)
                .sharded(options.shards() == 0 ? null : Sharding.into(options.shards()));
    }

    private void handle(Step step, MessageContext context) throws IOException, InterruptedException {
        int preceding = table == null ? -1 : table.last(step.key());
        timeline.sleep(WORK);
        Step.Fate fate = step.fate(options.seed());
        if (fate == Step.Fate.POISON && !(step instanceof Holding && Files.exists(Path.of(options.repaired())))) {
            throw new PoisonMessageException("as the proof wants");
        }
        if (table != null) {
            table.add(options.process(), step, preceding);
        }
        int failures = fate == Step.Fate.RETRIED ? 1 : fate == Step.Fate.RETRIED_TWICE ? 2 : 0;
        if (context.attempt() < failures) {
            throw new IOException("as the proof wants");
        }
        if (table == null) {
            ledger.write(Kind.HANDLING, step.key(), String.valueOf(step.number()));
            node.bunny().publish(new Done(step.key(), step.number()));
        }
    }
}
