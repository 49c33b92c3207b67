// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.simulation.run.Finding;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Messages in order while instances crash at every point: each begins when those before it have ended. */
@Tag("once")
class OrderSimulationTest {

    private static final String SHELF = "tea";

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

    record Shop(SimulatedNode node) {

        @BunnyHandler(from = "warehouse", ordered = true, delayedRetries = "2s")
        void on(Change change, MessageContext context) {
            if (change.number() == 1 && context.attempt() == 0) {
                throw new IllegalStateException("not yet");
            }
            node.perform(change.article() + " " + change.number(), context.messageId());
        }
    }

    private static void declare(SimulatedSystem system) {
        system.node("shop", 2, node -> List.of(new Shop(node)))
                .publish("warehouse", new Change(SHELF, 1), "one")
                .publish("warehouse", new Change(SHELF, 2), "two")
                .publish("warehouse", new Change("milk", 1), "three");
    }

    @Test
    void whatFailsIsFollowedInOrderWhateverGoesWrong() {
        Finding finding = Simulation.of(system -> {
                    declare(system);
                    system.holds("each is shown once, in order", () -> assertThat(
                                    system.effects().all().keySet().stream().filter(change -> change.startsWith(SHELF)))
                            .containsExactly("tea 1", "tea 2"));
                })
                .explore(1_500, 1);

        assertThat(finding).isNull();
    }

    @Test
    void aMessageThatBeginsBeforeTheOneBeforeHasEndedIsFound() {
        Finding finding = Simulation.of(system -> {
                    declare(system);
                    system.storeClients((store, timeline) -> new ForwardingMessageStore(store) {
                        @Override
                        public @Nullable MessageRecord find(RecordKey key) {
                            return key.equals(LaneDocument.key(SHELF, "Change")) ? null : super.find(key);
                        }
                    });
                })
                .explore(10, 1);

        assertThat(Objects.requireNonNull(finding).violation().invariant()).isEqualTo(Rules.IN_ORDER);
    }
}
