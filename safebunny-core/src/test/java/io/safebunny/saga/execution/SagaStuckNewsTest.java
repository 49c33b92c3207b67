// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.saga.management.SagaSupervision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A command is set aside while its saga is stuck: the saga hears of it, and its method for that runs once the saga goes on. */
class SagaStuckNewsTest {

    private static final String ID = "order-1";

    record Begin(String id) {}

    record Pack(String id) {}

    record Packed(String id) {}

    record Ship(String id) {}

    @BunnySaga(participants = "harbour")
    static final class Shipping {
        record State(String id) {}

        final List<BlockedOn> told = new ArrayList<>();
        boolean failsAtPacked = true;
        boolean failsAtNews;
        boolean givesUpAtPacked;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.step("pack", new Pack(begin.id()));
            saga.step("ship", new Ship(begin.id()));
            return new State(begin.id());
        }

        @BunnyHandler(from = "hall")
        void on(Packed packed, State state, SagaContext saga) {
            if (failsAtPacked) {
                throw new PoisonMessageException("as the test wants");
            }
            if (givesUpAtPacked) {
                saga.fail("packed wrongly");
            }
        }

        @OnPoisoned
        void told(BlockedOn blockedOn, State state, SagaContext saga) {
            if (failsAtNews) {
                throw new PoisonMessageException("as the test wants");
            }
            told.add(blockedOn);
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Shipping shipping = new Shipping();
    private boolean shipFails = true;

    @BeforeEach
    void getStuckAndThenBlocked() {
        world.start("desk", List.of());
        world.start("shop", List.of(), shipping);
        world.start("hall", List.of(SagaWorld.handler("shop", Pack.class, (payload, context) -> {
            var unused = world.bunny("hall").publish(new Packed("1"));
        })));
        world.start("harbour", List.of(SagaWorld.handler("shop", Ship.class, (payload, context) -> {
            if (shipFails) {
                throw new IllegalStateException("as the test wants, after its retries");
            }
        })));
        world.publish("desk", new Begin("1"), ID);
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(saga().blockedOn()).extracting(BlockedOn::type).containsExactly("Ship");
        assertThat(shipping.told).isEmpty();
        shipping.failsAtPacked = false;
    }

    private SagaView saga() {
        return world.sagas("shop").find("Shipping", ID).orElseThrow();
    }

    private void resume() {
        world.sagas("shop").resume("Shipping", ID, "mended");
        world.settle();
    }

    private void assertTold() {
        world.pass(Duration.ofHours(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().blockedOn()).extracting(BlockedOn::type).containsExactly("Ship");
        assertThat(shipping.told).isEqualTo(saga().blockedOn());
        assertThat(world.engine("shop").get(SagaSupervision.class).blocked()).isEqualTo(Map.of("Shipping", 1L));
        assertThat(world.sagas("shop").list("Shipping", SagaStatus.ACTIVE, Duration.ZERO, 10))
                .hasSize(1);
        assertThat(world.counted("safebunny.saga", "type", "Shipping", "state", "active"))
                .isLessThanOrEqualTo(3);
    }

    @Test
    void itsMethodRunsOnceAfterAResume() {
        resume();

        assertTold();
    }

    @Test
    void itsMethodRunsOnceAfterAReplay() {
        world.replay(world.poison("shop").get(0), "shop-Packed");

        assertTold();
    }

    @Test
    void itsMethodDoesNotRunIfTheCommandWasSentAgainMeanwhile() {
        shipFails = false;
        world.sagas("shop").retry("Shipping", ID, "the harbour is open");
        world.settle();
        resume();
        world.pass(Duration.ofHours(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().blockedOn()).isEmpty();
        assertThat(shipping.told).isEmpty();
    }

    @Test
    void itsMethodDoesNotRunIfTheReplayedMessageEndsTheSaga() {
        shipping.givesUpAtPacked = true;
        world.replay(world.poison("shop").get(0), "shop-Packed");
        world.pass(Duration.ofHours(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(shipping.told).isEmpty();
        assertThat(world.poison("shop")).hasSize(1); // the one that was replayed
    }

    @Test
    void whileItsMethodFailsTheSagaIsStuckAgainAfterTheResume() {
        shipping.failsAtNews = true;
        resume();
        world.pass(Duration.ofMinutes(2));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(saga().blockedOn()).hasSize(1);

        shipping.failsAtNews = false;
        resume();

        assertTold();
    }
}
