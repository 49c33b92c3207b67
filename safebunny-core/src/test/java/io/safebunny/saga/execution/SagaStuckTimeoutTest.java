// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A saga that is stuck on a timeout: the timeout is still set, so it runs when the saga goes on. */
class SagaStuckTimeoutTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final Reminding reminding = new Reminding();

    @BunnySaga
    static final class Reminding {

        record Begin(String id) {}

        record State(String id) {}

        boolean failing = true;
        int reminded;

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Begin begin, SagaContext saga) {
            saga.timeout("remind", Duration.ofMinutes(1));
            return new State(begin.id());
        }

        @OnTimeout("remind")
        void remind() {
            if (failing) {
                throw new IllegalStateException("as the test wants");
            }
            reminded++;
        }
    }

    @BeforeEach
    void getStuck() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), reminding);
        world.publish("storefront", new Reminding.Begin("1"), ID);
        world.pass(Duration.ofMinutes(2));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
    }

    private SagaView saga() {
        return world.sagas("orders").find("Reminding", ID).orElseThrow();
    }

    private void resume() {
        world.sagas("orders").resume("Reminding", ID, "mended");
        world.settle();
    }

    @Test
    void resumeRunsItAgainOnceUnderANewId() {
        WireMessage setAside = world.poison("orders").get(0);
        reminding.failing = false;
        resume();
        assertThat(reminding.reminded).isEqualTo(1);
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().timeouts()).isEmpty();

        world.replay(setAside, "orders-BunnyTimeout");
        world.pass(Duration.ofMinutes(5));

        assertThat(reminding.reminded).isEqualTo(1);
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    @Test
    void aReplayRunsItOnceToo() {
        reminding.failing = false;
        world.replay(world.poison("orders").get(0), "orders-BunnyTimeout");
        world.pass(Duration.ofMinutes(5));

        assertThat(reminding.reminded).isEqualTo(1);
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    @Test
    void whileItsMethodFailsTheSagaIsStuckAgainAfterTheResumeAndCanBeFailed() {
        resume();
        world.pass(Duration.ofMinutes(2));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);

        world.sagas("orders").fail("Reminding", ID, "without the reminder");
        world.pass(Duration.ofMinutes(5));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(reminding.reminded).isZero();
    }
}
