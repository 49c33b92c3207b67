// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.RetryLaterException;
import io.safebunny.ScheduledMessages;
import io.safebunny.ThrottledException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.saga.execution.SagaWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits outside their bounds, up to the largest that the JDK can express, are refused with the bound, and none overflows. */
class FarTimesTest {

    private static final Duration LONGEST = Duration.ofDays(365);

    private final SagaWorld world = new SagaWorld();

    @BeforeEach
    void start() {
        world.schedules = true;
        world.start("storefront", List.of(SagaWorld.handler("storefront", OrderPlaced.class, (payload, context) -> {
            world.timeline.now();
        })));
    }

    private Bunny bunny() {
        return world.bunny("storefront");
    }

    private static Duration far(long seconds) {
        return seconds == Long.MAX_VALUE ? ChronoUnit.FOREVER.getDuration() : Duration.ofSeconds(seconds);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 365L * 86_400 + 1, Long.MAX_VALUE / 1000, Long.MAX_VALUE})
    void areRefused(long seconds) {
        Duration wait = far(seconds);
        String bound = "365 days";

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> bunny().publish(
                                new OrderPlaced("1", 1), PublishOptions.none().withDelay(wait)))
                .withMessageContaining(bound);
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> world.engine("storefront")
                        .get(ScheduledMessages.class)
                        .schedule(new OrderPlaced("1", 1), PublishOptions.none().withDelay(wait)))
                .withMessageContaining(bound);
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new RetryLaterException(wait))
                .withMessageContaining(bound);
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new ThrottledException(wait))
                .withMessageContaining(bound);
    }

    @Test
    void instantsThatAreTooFarAreRefused() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> bunny().publish(
                                new OrderPlaced("1", 1), PublishOptions.none().withDeliverAt(Instant.MAX)))
                .withMessageContaining("365 days");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> world.engine("storefront")
                        .get(ScheduledMessages.class)
                        .schedule(new OrderPlaced("1", 1), PublishOptions.none().withDeliverAt(Instant.MAX)))
                .withMessageContaining("365 days");
    }

    @Test
    void thePastIsAtOnceHoweverLongAgo() {
        assertThat(bunny().publish(
                                new OrderPlaced("1", 1), PublishOptions.none().withDeliverAt(Instant.MIN))
                        .messageId())
                .isNotBlank();
    }

    @Test
    void theLongestWaitsAreTaken() {
        assertThat(new RetryLaterException(LONGEST).delay()).isEqualTo(LONGEST);
        assertThat(new ThrottledException(LONGEST).delay()).isEqualTo(LONGEST);
        assertThat(bunny().publish(
                                new OrderPlaced("1", 1), PublishOptions.none().withDelay(LONGEST))
                        .messageId())
                .isNotBlank();
    }
}
