// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyMessage.Expired;
import io.safebunny.MessageContext;
import io.safebunny.OnExpired;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Messages with deadlines while instances crash at every point: what comes of each of them comes once, and is one thing. */
@Tag("once")
class DeadlineSimulationTest {

    @BunnyMessage(validFor = "3s")
    record Offer(String id) {}

    @BunnyMessage(validFor = "3s", expired = Expired.DROP)
    record Price(String id) {}

    record Done(String id) {}

    record Late(String id) {}

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");
    private final Set<String> seen = new HashSet<>();

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    /** Its second attempt is in time unless something goes wrong. */
    record Sales(SimulatedNode node) {

        @BunnyHandler(
                from = "storefront",
                delayedRetries = {"2s", "10s"})
        void on(Offer offer, MessageContext context) {
            var unused = node.bunny().publish(new Done(offer.id()));
            if (context.attempt() == 0) {
                throw new IllegalStateException("not yet");
            }
        }

        @OnExpired
        void expired(Offer offer) {
            var unused = node.bunny().publish(new Late(offer.id()));
        }

        @BunnyHandler(from = "storefront", delayedRetries = "2s")
        void on(Price price, MessageContext context) {
            var unused = node.bunny().publish(new Done(price.id()));
            if (context.attempt() == 0) {
                throw new IllegalStateException("not yet");
            }
        }
    }

    record Desk(SimulatedNode node) {

        @BunnyHandler(from = "sales")
        void on(Done done, MessageContext context) {
            node.perform("done " + done.id(), context.messageId());
        }

        @BunnyHandler(from = "sales")
        void on(Late late, MessageContext context) {
            node.perform("told " + late.id(), context.messageId());
        }
    }

    private void declare(SimulatedSystem system) {
        system.node("sales", 2, node -> List.of(new Sales(node)))
                .node("desk", 1, node -> List.of(new Desk(node)))
                .publish("storefront", new Offer("1"), "offer-1")
                .publish("storefront", new Price("2"), "price-2")
                .holds("each ends once", () -> {
                    Map<String, Integer> effects = system.effects().all();
                    seen.add(effects.keySet().toString());
                    assertThat(effects.values()).containsOnly(1);
                    assertThat(effects.keySet().stream().filter(effect -> effect.endsWith(" 1")))
                            .hasSize(1);
                    assertThat(effects).doesNotContainKey("told 2");
                });
    }

    @Test
    void eachEndsOnceWhateverGoesWrong() {
        assertThat(Simulation.of(this::declare).explore(1_500, 1)).isNull();
        assertThat(seen)
                .as("endings")
                .anyMatch(effects -> effects.contains("done 1"))
                .anyMatch(effects -> effects.contains("told 1"))
                .anyMatch(effects -> !effects.contains("done 2"));
    }
}
