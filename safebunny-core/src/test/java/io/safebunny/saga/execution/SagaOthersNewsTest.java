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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga hears of messages with its correlation id that it has never sent, or wants nothing of any more. */
class SagaOthersNewsTest {

    private static final String ID = "order-1";

    record Begin(String id) {}

    record Ship(String id) {}

    record Forget(String id) {}

    record Greet(String id) {}

    /** Sends a command, and forgets it when it is told to. */
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

        @BunnyHandler(from = "desk")
        void on(Forget forget, State state, SagaContext saga) {
            boolean unused = saga.forget("ship");
        }

        @OnPoisoned
        void told(BlockedOn blockedOn, SagaContext saga) {
            told.add(blockedOn);
            saga.fail("set aside");
        }
    }

    record Open(String id) {}

    /** Another class with a saga of the same id. */
    @BunnySaga
    static final class Billing {
        record BillingState(String id) {}

        final List<BlockedOn> told = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "desk")
        BillingState on(Open open) {
            return new BillingState(open.id());
        }

        @OnPoisoned
        void told(BlockedOn blockedOn, SagaContext saga) {
            told.add(blockedOn);
            saga.fail("set aside");
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Shipping shipping = new Shipping();
    private final Billing billing = new Billing();
    private boolean shipFailsAtOnce;

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("shop", List.of(), shipping, billing);
        world.start(
                "hall",
                List.of(
                        SagaWorld.handler("shop", Ship.class, (payload, context) -> {
                            if (shipFailsAtOnce) {
                                throw new PoisonMessageException("as the test wants");
                            }
                            throw new IllegalStateException("as the test wants, after its retries");
                        }),
                        SagaWorld.handler("desk", Greet.class, (payload, context) -> {
                            throw new PoisonMessageException("as the test wants");
                        })));
        world.start("yard", List.of(SagaWorld.handler("desk", Greet.class, (payload, context) -> {
            throw new PoisonMessageException("as the test wants");
        })));
        world.publish("desk", new Open("1"), ID);
    }

    private SagaView saga(String name) {
        return world.sagas("shop").find(name, ID).orElseThrow();
    }

    private void assertUntouched(String name, List<BlockedOn> told) {
        assertThat(told).isEmpty();
        assertThat(saga(name).blockedOn()).isEmpty();
        assertThat(saga(name).status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(world.poison("shop")).isEmpty();
    }

    @Test
    void aMessageOfAPlainHandlerIsNobodysBusiness() {
        world.publish("desk", new Greet("1"), ID);
        world.pass(Duration.ofHours(1));

        assertThat(world.poison("hall")).hasSize(1);
        assertThat(world.poison("yard"))
                .as("its news is another message than that of the hall")
                .hasSize(1);
        assertUntouched("Billing", billing.told);
    }

    @Test
    void aCommandOfAnotherSagaIsOnlyThatOnesBusiness() {
        shipFailsAtOnce = true;
        world.publish("desk", new Begin("1"), ID);
        world.pass(Duration.ofHours(1));

        assertThat(shipping.told).hasSize(1);
        assertThat(saga("Shipping").status()).isEqualTo(SagaStatus.FAILED);
        assertUntouched("Billing", billing.told);
    }

    @Test
    void aCommandThatItsSagaHasForgottenIsNobodysBusinessEither() {
        world.publish("desk", new Begin("1"), ID);
        world.publish("desk", new Forget("1"), ID);
        world.pass(Duration.ofHours(1));

        assertThat(world.poison("hall")).hasSize(1);
        assertUntouched("Shipping", shipping.told);
        assertUntouched("Billing", billing.told);
    }
}
