// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One command goes to two participants, and both set it aside. */
class SagaTwoParticipantsTest {

    private static final String ID = "order-1";

    record Begin(String id) {}

    record Ship(String id) {}

    record Shipped(String by) {}

    record Stop(String id) {}

    @BunnySaga(participants = {"hall", "yard"})
    static final class Shipping {
        record State(String id) {}

        final List<BlockedOn> told = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.step("ship", new Ship(begin.id()));
            return new State(begin.id());
        }

        @BunnyHandler(from = {"hall", "yard"})
        void on(Shipped shipped, State state) {}

        @BunnyHandler(from = "desk")
        @SuppressWarnings("DoNotCallSuggester") // it throws for the test
        void on(Stop stop, State state) {
            throw new PoisonMessageException("as the test wants");
        }

        @OnPoisoned
        void told(BlockedOn blockedOn) {
            told.add(blockedOn);
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Shipping shipping = new Shipping();
    private final Set<String> failing = new HashSet<>(Set.of("hall", "yard"));
    private boolean answersAtOnce;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("shop", List.of(), shipping);
        startParticipant("hall");
        startParticipant("yard");
    }

    private void startParticipant(String node) {
        world.start(node, List.of(SagaWorld.handler("shop", Ship.class, (payload, context) -> {
            if (answersAtOnce) {
                var unused = world.bunny(node).publishNow(new Shipped(node));
                world.timeline.advance(Duration.ofMillis(1));
            }
            if (failing.contains(node)) {
                throw new PoisonMessageException("as the test wants");
            }
            var unused = world.bunny(node).publish(new Shipped(node));
        })));
    }

    private SagaView saga() {
        return world.sagas("shop").find("Shipping", ID).orElseThrow();
    }

    private void replayAt(String node) {
        failing.remove(node);
        world.timeline.advance(Duration.ofSeconds(1));
        WireMessage copy = world.poison(node).get(0);
        world.replay(copy, node + "-Ship");
    }

    @Test
    void theSagaIsBlockedOnBoth() {
        world.publish("desk", new Begin("1"), ID);

        assertThat(saga().blockedOn()).extracting(BlockedOn::node).containsExactlyInAnyOrder("hall", "yard");
        assertThat(shipping.told).extracting(BlockedOn::node).containsExactlyInAnyOrder("hall", "yard");
    }

    @Test
    void anAnswerOfOneLeavesTheOther() {
        world.publish("desk", new Begin("1"), ID);

        replayAt("hall");
        assertThat(saga().blockedOn()).extracting(BlockedOn::node).containsExactly("yard");

        replayAt("yard");
        assertThat(saga().blockedOn()).isEmpty();
    }

    @Test
    void whatIsSentAgainGoesToBoth() {
        world.publish("desk", new Begin("1"), ID);
        failing.clear();
        world.timeline.advance(Duration.ofSeconds(1));
        world.sagas("shop").retry("Shipping", ID, "they are open");
        world.settle();

        assertThat(saga().blockedOn()).isEmpty();
        assertThat(saga().history())
                .filteredOn(event -> event.what().startsWith("took Shipped"))
                .hasSize(2);
    }

    @Test
    void aStuckSagaIsToldOfBothWhenItGoesOn() {
        world.stop("hall");
        world.stop("yard"); // their queues stay
        world.publish("desk", new Begin("1"), ID);
        world.publish("desk", new Stop("1"), ID);
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        startParticipant("hall");
        startParticipant("yard");
        world.settle();
        assertThat(shipping.told).isEmpty();

        world.sagas("shop").resume("Shipping", ID, "mended");
        world.settle();

        assertThat(shipping.told).extracting(BlockedOn::node).containsExactlyInAnyOrder("hall", "yard");
    }

    /** It went out at once, though the command was set aside. */
    @Test
    void whatWasPublishedAtOnceBeforeTheFailureIsNoAnswer() {
        answersAtOnce = true;
        failing.remove("yard");
        world.publish("desk", new Begin("1"), ID);

        assertThat(saga().blockedOn()).extracting(BlockedOn::node).containsExactly("hall");
        assertThat(shipping.told).hasSize(1);
    }

    /** The news overtakes it. */
    @Test
    void norIsItWhenItComesAfterTheNews() {
        answersAtOnce = true;
        failing.remove("yard");
        BunnyOperations operations = world.engine("shop").get(BunnyOperations.class);
        operations.pause("Shipped", Duration.ofSeconds(10), Scope.INSTANCE, "the news comes first", "the test");
        world.publish("desk", new Begin("1"), ID);
        assertThat(saga().blockedOn()).extracting(BlockedOn::node).containsExactly("hall");

        world.pass(Duration.ofMinutes(1));

        assertThat(saga().history())
                .filteredOn(event -> event.what().startsWith("took Shipped"))
                .hasSize(3);
        assertThat(saga().blockedOn()).extracting(BlockedOn::node).containsExactly("hall");
    }
}
