// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that a property of their payload assigns to a saga, which can only be read if the message can. */
class SagaCorrelatedTest {

    private static final String PARCEL = "parcel-1";
    /** Correlation id of the order, which has a saga of its own and a parcel that is called like it. */
    private static final String ORDER = "order-1";

    record Packed(String parcel) {}

    record Moved(String parcel, int kilometres) {
        Moved {
            if (kilometres < 0) {
                throw new IllegalArgumentException("as the test wants");
            }
        }
    }

    record Opened(String order) {}

    record Changed(String order) {}

    record ParcelState(int kilometres) {}

    record OrderState(int changes) {}

    @BunnySaga
    static final class Parcel {
        @Starts
        @CorrelatedBy("parcel")
        @BunnyHandler(from = "desk")
        ParcelState on(Packed packed) {
            return new ParcelState(0);
        }

        @CorrelatedBy("parcel")
        @BunnyHandler(from = "desk")
        ParcelState on(Moved moved, ParcelState state) {
            if (moved.kilometres() > 1_000) {
                throw new IllegalStateException("too far");
            }
            return new ParcelState(state.kilometres() + moved.kilometres());
        }
    }

    @BunnySaga
    static final class Order {
        @Starts
        @BunnyHandler(from = "desk")
        OrderState on(Opened opened) {
            return new OrderState(0);
        }

        @BunnyHandler(from = "desk")
        OrderState on(Changed changed, OrderState state) {
            return new OrderState(state.changes() + 1);
        }
    }

    private final SagaWorld world = new SagaWorld();

    @BeforeEach
    void start() {
        world.start("desk", List.of());
        world.start("post", List.of(), new Parcel(), new Order());
        world.publish("desk", new Opened("1"), ORDER);
        world.publish("desk", new Packed(PARCEL), ORDER);
        world.publish("desk", new Packed(ORDER), "another");
    }

    private SagaStatus status(String saga, String id) {
        return world.sagas("post").find(saga, id).orElseThrow().status();
    }

    private void send(String type, String body) {
        world.replay(
                new WireMessage(
                        UUID.randomUUID().toString(),
                        ORDER,
                        type,
                        "desk",
                        null,
                        "application/json",
                        null,
                        Map.of("sb-sent-at", world.timeline.now().toEpochMilli()),
                        body.getBytes(StandardCharsets.UTF_8)),
                "post-" + type);
        world.pass(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "{\"kilometres\":5}",
                "{\"parcel\":\"parcel-1\"}",
                "{\"parcel\":\"parcel-1\",\"kilometres\":-1}",
                "{\"parcel\":\"no id\",\"kilometres\":5}"
            })
    void oneThatCannotBeReadIsSetAsideAndStopsNoSaga(String body) {
        send("Moved", body);

        assertThat(world.poison("post")).hasSize(1);
        assertThat(status("Parcel", PARCEL))
                .as("its own, which nobody can know")
                .isEqualTo(SagaStatus.ACTIVE);
        assertThat(status("Parcel", ORDER))
                .as("one that only shares the correlation id")
                .isEqualTo(SagaStatus.ACTIVE);
        assertThat(status("Order", ORDER)).as("of another class").isEqualTo(SagaStatus.ACTIVE);
        assertThat(world.sagas("post").find(ORDER))
                .allSatisfy(saga -> assertThat(saga.blockedOn()).isEmpty());
        world.publish("desk", new Moved(PARCEL, 7), ORDER);
        assertThat(world.sagas("post").find("Parcel", PARCEL).orElseThrow().state())
                .isEqualTo("{\"kilometres\":7}");
    }

    @Test
    void oneThatCanBeReadStopsItsOwnSagaAlone() {
        world.publish("desk", new Moved(PARCEL, 2_000), ORDER);
        world.pass(Duration.ofMinutes(1));

        assertThat(status("Parcel", PARCEL)).isEqualTo(SagaStatus.STUCK);
        assertThat(status("Parcel", ORDER)).isEqualTo(SagaStatus.ACTIVE);
        assertThat(status("Order", ORDER)).isEqualTo(SagaStatus.ACTIVE);
    }

    /** The difference: of these the correlation id says to which saga they belong. */
    @Test
    void oneWithoutAnIdOfItsOwnStopsTheSagaOfItsCorrelationId() {
        send("Changed", "{");

        assertThat(status("Order", ORDER)).isEqualTo(SagaStatus.STUCK);
        assertThat(status("Parcel", ORDER)).isEqualTo(SagaStatus.ACTIVE);
        assertThat(status("Parcel", PARCEL)).isEqualTo(SagaStatus.ACTIVE);
    }
}
