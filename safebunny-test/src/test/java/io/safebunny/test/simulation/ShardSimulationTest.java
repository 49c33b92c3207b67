// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.simulation.run.Finding;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Messages in order in shards, while instances crash at every point and each new one has another number of shards. Of both keys, the shard is
 * another one among two than among three.
 */
@Tag("once")
class ShardSimulationTest {

    @BunnyMessage(orderBy = "article")
    record Change(String article, int number) {}

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    abstract static class Shop {

        private final SimulatedNode node;

        Shop(SimulatedNode node) {
            this.node = node;
        }

        void show(Change change, MessageContext context) {
            if (change.number() == 1 && context.attempt() == 0) {
                throw new IllegalStateException("not yet");
            }
            node.perform(change.article() + " " + change.number(), context.messageId());
        }
    }

    static final class InTwo extends Shop {

        InTwo(SimulatedNode node) {
            super(node);
        }

        @BunnyHandler(from = "warehouse", ordered = true, shards = "2", delayedRetries = "2s")
        void on(Change change, MessageContext context) {
            show(change, context);
        }
    }

    static final class InThree extends Shop {

        InThree(SimulatedNode node) {
            super(node);
        }

        @BunnyHandler(from = "warehouse", ordered = true, shards = "3", delayedRetries = "2s")
        void on(Change change, MessageContext context) {
            show(change, context);
        }
    }

    private static void declare(SimulatedSystem system) {
        AtomicInteger starts = new AtomicInteger();
        system.node(
                "shop", 2, node -> List.of(starts.getAndIncrement() % 2 == 0 ? new InTwo(node) : new InThree(node)));
        for (int number = 1; number <= 3; number++) {
            for (String article : List.of("salt", "sugar")) {
                system.publish("warehouse", new Change(article, number), article + number);
            }
        }
    }

    @Test
    void eachIsShownOnceAndInOrderWhateverTheNumberOfShards() {
        Finding finding = Simulation.of(system -> {
                    declare(system);
                    system.holds("each is shown once, in order", () -> {
                        for (String article : List.of("salt", "sugar")) {
                            assertThat(system.effects().all().keySet().stream()
                                            .filter(change -> change.startsWith(article)))
                                    .containsExactly(article + " 1", article + " 2", article + " 3");
                        }
                    });
                })
                .explore(500, 1);

        assertThat(finding).isNull();
    }

    @Test
    void aChangeThatDoesNotWaitForTheShardsIsFound() {
        Finding finding = Simulation.of(system -> {
                    declare(system);
                    system.storeClients((store, timeline) -> new ForwardingMessageStore(store) {
                        @Override
                        public @Nullable MessageRecord replace(MessageRecord record) {
                            String to = record.steps().get("to");
                            return super.replace(
                                    record.key().correlationId().startsWith("bunny.shards.") && to != null
                                            ? record.nextContent(
                                                            record.state(),
                                                            record.owner(),
                                                            null,
                                                            Map.of("format", "1", "count", to))
                                                    .withVersion(record.version())
                                            : record);
                        }
                    });
                })
                .explore(3_000, 1);

        assertThat(Objects.requireNonNull(finding).violation().invariant()).isEqualTo(Rules.IN_ORDER);
    }
}
