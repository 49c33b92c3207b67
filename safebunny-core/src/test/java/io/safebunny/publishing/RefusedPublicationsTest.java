// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import example.BunnyHop;
import io.safebunny.PublishOptions;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.serialization.SerializationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedPublicationsTest {

    private static final PublishOptions NONE = PublishOptions.none();

    private final Publisher publisher = new Publisher();

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of(NONE.withHeader("sb-marker", 7), "sb-marker"),
                Arguments.of(NONE.withHeader("X-Delay", 7), "X-Delay"),
                Arguments.of(NONE.withHeader("CC", "elsewhere"), "CC"),
                Arguments.of(NONE.withHeader("cards", List.of("4111")), "cards"),
                Arguments.of(NONE.withDelay(Duration.ofMillis(-1)), "Invalid delay"),
                Arguments.of(NONE.withDelay(Duration.ofDays(365).plusNanos(1)), "Invalid delay"),
                Arguments.of(NONE.withDelay(Duration.ofSeconds(Long.MAX_VALUE)), "Invalid delay"),
                Arguments.of(NONE.withCorrelationId("a b"), "Invalid correlation id [a b]"),
                Arguments.of(NONE.withCorrelationId(""), "Invalid correlation id"),
                Arguments.of(NONE.withCorrelationId("c".repeat(65)), "Invalid correlation id"),
                Arguments.of(NONE.withIdempotencyKey(""), "Invalid idempotency key"),
                Arguments.of(NONE.withIdempotencyKey("k".repeat(1025)), "Invalid idempotency key"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void areNotSentNorCollected(PublishOptions options, String told) throws Exception {
        refused(options, told);
        List<?> collected = publisher.handling(() -> refused(options, told));

        assertThat(collected).isEmpty();
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    private void refused(PublishOptions options, String told) {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1"), options))
                .withMessageContaining(told);
    }

    @Test
    void includeBodiesThatAreTooLarge() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o".repeat(1_000))))
                .withMessageContaining("safebunny.max-message-size")
                .withMessageContaining("PaymentCaptured")
                .withMessageNotContaining("ooo");
        assertThat(publisher.transport.attempted()).isEmpty();
        // {"orderId":""} and 986 characters are exactly the limit
        assertThat(publisher.bunny.publish(new PaymentCaptured("o".repeat(986))).messageId())
                .isNotEmpty();
    }

    record _Odd(int value) {}

    @Test
    void includeTypesThatAreReservedForTheLibrary() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new BunnyHop("1")))
                .withMessageContaining("SB-1002")
                .withMessageContaining("BunnyHop");
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    @Test
    void includeClassesWithoutATypeName() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new _Odd(1)))
                .withMessageContaining("SB-1002");
        assertThat(publisher.bunny.publishAsync(new _Odd(1)))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ConfigurationException.class);
    }

    static class Mute {
        @SuppressWarnings({"unused", "UnusedVariable"}) // Jackson does not see it
        private final String order = "o-1";
    }

    record Empty() {}

    @Test
    void includeWhatNobodyCouldRead() throws Exception {
        Runnable lambda = () -> {};
        List<Object> nameless = List.of("text", 1, List.of(1, 2), Map.of("a", 1), new int[0], lambda, new Object() {});
        for (Object payload : nameless) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> publisher.bunny.publish(payload))
                    .withMessageStartingWith("SB-1111");
        }
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new Mute()))
                .withMessageStartingWith("SB-3004")
                .withMessageContaining("would become {}");
        List<?> collected = publisher.handling(() -> assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new Mute())));
        assertThat(collected).isEmpty();
        assertThat(publisher.transport.attempted()).isEmpty();
        assertThat(publisher.bunny.publish(new Empty()).messageId()).isNotEmpty();
    }
}
