// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static io.safebunny.middleware.PublishOutcome.CONFIRMED;
import static io.safebunny.middleware.PublishOutcome.DROPPED;
import static io.safebunny.middleware.PublishOutcome.FAILED;
import static io.safebunny.middleware.PublishOutcome.STORED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of publications that are kept: commands and undos of sagas, and scheduled messages. */
class KeptPublicationsTest {

    private static final String ID = "order-1";
    private static final PublishOptions LATER = PublishOptions.none().withDelay(Duration.ofMinutes(10));

    record Begin(String id) {}

    record Work(String id) {}

    record Unwork(String id) {}

    record Remind(String text) {}

    record Told(String type, PublishOutcome outcome) {}

    @BunnySaga(participants = "hall")
    static final class Shipping {
        record State(String id) {}

        int failures;
        boolean isTooLarge;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            if (isTooLarge) {
                saga.step("huge", new Work("x".repeat(2_000_000)), new Unwork("1"));
            }
            saga.step("work", new Work(begin.id()), new Unwork(begin.id()));
            if (failures-- > 0) {
                throw new IllegalStateException("as the test wants");
            }
            return new State(begin.id());
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Shipping shipping = new Shipping();
    private final List<Told> told = new ArrayList<>();

    private final class After implements PublishMiddleware {
        @Override
        public Group group() {
            return Group.AFTER;
        }

        @Override
        public void invoke(PublishContext context, Next next) throws Exception {
            told.add(new Told(context.type(), Objects.requireNonNull(context.outcome())));
            next.run();
        }
    }

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start(
                "hall",
                List.of(
                        SagaWorld.handler("shop", Work.class, (payload, context) -> {}),
                        SagaWorld.handler("shop", Unwork.class, (payload, context) -> {}),
                        SagaWorld.handler("shop", Remind.class, (payload, context) -> {})));
        world.publishMiddlewares = List.of(new After());
        world.schedules = true;
        world.start("shop", List.of(), shipping);
    }

    @Test
    void ofASagaAreToldOnceTheRunCounts() {
        shipping.failures = 1;
        world.publish("desk", new Begin("1"), ID);
        assertThat(told).containsExactlyInAnyOrder(new Told("Work", DROPPED), new Told("Unwork", DROPPED));
        told.clear();

        world.pass(Duration.ofMinutes(1));

        assertThat(told).containsExactlyInAnyOrder(new Told("Work", CONFIRMED), new Told("Unwork", STORED));
    }

    @Test
    void ofARefusedStepAreToldToo() {
        shipping.isTooLarge = true;
        world.publish("desk", new Begin("1"), ID);

        assertThat(world.poison("shop")).hasSize(1);
        assertThat(told).containsExactlyInAnyOrder(new Told("Work", DROPPED), new Told("Unwork", DROPPED));
    }

    @Test
    void anEventOfTheSagasEndIsToldLikeEveryPublicationOfAHandler() {
        world.publish("desk", new Begin("1"), ID);
        told.clear();
        world.sagas("shop").fail("Shipping", ID, "as the test wants");
        world.settle();

        assertThat(world.saga("shop", ID).status()).isEqualTo(SagaStatus.FAILED);
        assertThat(told).containsExactly(new Told("SagaFailed", CONFIRMED));
    }

    @Test
    void whatIsScheduledIsToldAsStoredOnceItIs() {
        String unused = world.engine("shop").get(ScheduledMessages.class).schedule(new Remind("1"), LATER);
        world.settle();

        assertThat(told).containsExactly(new Told("Remind", STORED));
        world.pass(Duration.ofMinutes(20));
        assertThat(told).hasSize(1);
    }

    @Test
    void whatCannotBeScheduledIsToldAsFailed() {
        assertThatExceptionOfType(InvalidPublicationException.class).isThrownBy(() -> world.engine("shop")
                .get(ScheduledMessages.class)
                .schedule(new Remind("x".repeat(3_000_000)), LATER));
        world.settle();

        assertThat(told).containsExactly(new Told("Remind", FAILED));
    }

    @Test
    void whatAHandlerSchedulesEndsWithItsRun() {
        boolean[] fails = {true};
        world.start("post", List.of(SagaWorld.handler("desk", Begin.class, (payload, context) -> {
            String unused = world.engine("post").get(ScheduledMessages.class).schedule(new Remind("1"), LATER);
            if (fails[0]) {
                throw new IllegalStateException("as the test wants");
            }
        })));
        world.publish("desk", new Begin("1"), "other");
        assertThat(told).filteredOn(one -> one.type().equals("Remind")).containsExactly(new Told("Remind", DROPPED));
        told.clear();
        fails[0] = false;

        world.pass(Duration.ofMinutes(1));

        assertThat(told).containsExactly(new Told("Remind", STORED));
    }
}
