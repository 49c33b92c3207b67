// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.LogLines;
import java.time.Duration;
import java.util.HashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What somebody's observation handler costs in the log when it fails with each message. */
class FailingObservationsTest {

    private static final int MANY = 5_000;
    private static final String SECRET = "card 4111 of Alice";

    private final VirtualTimeline timeline = VirtualTimeline.skipping();

    /** Where it fails. */
    private enum At {
        START,
        SCOPE,
        STOP
    }

    private record Failing(At at) implements ObservationHandler<Observation.Context> {

        private void reached(At where) {
            if (at == where) {
                throw new IllegalStateException(SECRET);
            }
        }

        @Override
        public void onStart(Observation.Context context) {
            reached(At.START);
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            reached(At.SCOPE);
        }

        @Override
        public void onStop(Observation.Context context) {
            reached(At.STOP);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    @ParameterizedTest
    @EnumSource
    void isToldOnceAMinuteAndNotQuotedWhereThatIsNotWanted(At at) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new Failing(at));
        Observations observations =
                new Observations(registry, "safebunny", new BoundedLog(timeline, ExceptionDetails.TYPE_ONLY));

        try (LogLines log = new LogLines("io.safebunny.observation")) {
            for (int i = 0; i < MANY; i++) {
                Observation observation = observations.startPublishing("Ping", "bench-Ping", new HashMap<>());
                if (observation != null) {
                    observations.stop(
                            observation, observations.open(observation), "confirmed", null, FailureDetails.FULL);
                }
            }
            timeline.advance(Duration.ofMinutes(1));

            assertThat(log.texts()).hasSize(2).last().asString().contains("4,999 more");
            assertThat(log.printed()).contains("IllegalStateException").doesNotContain(SECRET);
        }
    }

    @Test
    void aMeterThatCannotBeMeasuredIsToldOnce() {
        Metrics metrics = new Metrics(new SimpleMeterRegistry() {
            @Override
            protected Counter newCounter(Meter.Id id) {
                throw new IllegalStateException("no such meter");
            }
        });

        try (LogLines log = new LogLines("io.safebunny.observation")) {
            for (int i = 0; i < MANY; i++) {
                metrics.retriedDelayed("Ping");
                metrics.claimLost("Ping");
            }

            assertThat(log.texts()).hasSize(2);
        }
    }
}
