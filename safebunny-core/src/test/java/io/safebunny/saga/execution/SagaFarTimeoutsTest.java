// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Timeouts of any length; those that nobody lives to see are due at the end of the year 9999. */
@Tag("once")
class SagaFarTimeoutsTest {

    private static final String ID = "order-1";
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final SagaWorld world = new SagaWorld();
    private final Waiting waiting = new Waiting();

    @BunnySaga
    static final class Waiting {

        record Begin(String id) {}

        record Hurry(String id) {}

        record State(String id) {}

        Consumer<SagaContext> setting = saga -> {};
        int runs;

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Begin begin, SagaContext saga) {
            setting.accept(saga);
            return new State(begin.id());
        }

        @BunnyHandler(from = "storefront")
        void on(Hurry hurry, SagaContext saga) {
            saga.timeout("end", Duration.ofMinutes(1));
        }

        @OnTimeout("end")
        void end() {
            runs++;
        }
    }

    private SagaView begun(Consumer<SagaContext> setting) {
        waiting.setting = setting;
        world.start("storefront", List.of());
        world.start("orders", List.of(), waiting);
        world.publish("storefront", new Waiting.Begin("1"), ID);
        return world.sagas("orders").find("Waiting", ID).orElseThrow();
    }

    static Stream<Consumer<SagaContext>> far() {
        return Stream.of(
                saga -> saga.timeout("end", Duration.ofSeconds(Long.MAX_VALUE)),
                saga -> saga.timeout("end", Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)),
                saga -> saga.timeout("end", ChronoUnit.FOREVER.getDuration()),
                saga -> saga.timeout("end", Duration.ofMillis(Long.MAX_VALUE)),
                saga -> saga.timeout("end", Duration.ofDays(365L * 9_000)),
                saga -> saga.timeoutAt("end", Instant.MAX),
                saga -> saga.timeoutAt("end", Instant.ofEpochMilli(Long.MAX_VALUE)),
                saga -> saga.timeoutAt("end", LATEST.plusSeconds(1)),
                saga -> saga.timeoutAt("end", LATEST));
    }

    @ParameterizedTest
    @MethodSource("far")
    void areSetAndCanBeMoved(Consumer<SagaContext> setting) {
        SagaView saga = begun(setting);
        assertThat(saga.status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga.timeouts()).containsEntry("end", LATEST);
        world.timeline.advance(Duration.ofDays(100)); // more than one hop
        world.settle();
        assertThat(waiting.runs).isZero();

        world.publish("storefront", new Waiting.Hurry("1"), ID);
        world.pass(Duration.ofMinutes(2));

        assertThat(waiting.runs).isEqualTo(1);
    }

    @Test
    void thePastIsAtOnceHoweverLongAgo() {
        SagaView unused = begun(saga -> saga.timeoutAt("end", Instant.MIN));
        world.pass(Duration.ofSeconds(1));

        assertThat(waiting.runs).isEqualTo(1);
    }

    @Test
    void aNegativeLengthIsRefused() {
        waiting.setting = saga -> saga.timeout("end", Duration.ofSeconds(Long.MIN_VALUE));
        world.start("storefront", List.of());
        world.start("orders", List.of(), waiting);
        world.publish("storefront", new Waiting.Begin("1"), ID);

        assertThat(world.sagas("orders").find("Waiting", ID)).isEmpty();
        assertThat(world.poison("orders")).singleElement().satisfies(copy -> assertThat(
                        String.valueOf(copy.headers().get("x-exception-message")))
                .startsWith("SB-5012")
                .contains("negative"));
    }
}
