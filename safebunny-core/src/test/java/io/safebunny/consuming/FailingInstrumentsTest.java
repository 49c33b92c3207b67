// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.memory.MemoryMessageStore;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What measures and traces decides about no message, whatever it throws: libraries that do not fit throw errors. */
class FailingInstrumentsTest {

    private final ObservationRegistry observations = ObservationRegistry.create();

    /** Throws when this is asked of it. */
    private record Failing(String at, Runnable failure) implements ObservationHandler<Observation.Context> {

        private void reach(String point) {
            if (point.equals(at)) {
                failure.run();
            }
        }

        @Override
        public void onStart(Observation.Context context) {
            reach("start");
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            reach("open");
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            reach("close");
        }

        @Override
        public void onError(Observation.Context context) {
            reach("error");
        }

        @Override
        public void onStop(Observation.Context context) {
            reach("stop");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    private Node node(String at, Runnable failure) {
        observations.observationConfig().observationHandler(new Failing(at, failure));
        return new Node(
                new MemoryMessageStore(VirtualTimeline.skipping(), Node.RETENTION), Node.SIX_ATTEMPTS, observations);
    }

    private static void throwError() {
        throw new NoSuchMethodError("tracer and bridge do not fit (simulated)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "open", "close", "stop"})
    void letAHandledMessageBe(String at) {
        Node node = node(at, FailingInstrumentsTest::throwError);
        RecordedDelivery delivery = node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.attempted()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "open", "error", "close", "stop"})
    void letAFailedMessageBe(String at) {
        Node node = node(at, FailingInstrumentsTest::throwError).failing(new IOException("failed"));
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    /** Else the thread's next message would begin within this one, and keep it in memory. */
    @ParameterizedTest
    @ValueSource(strings = {"open", "error", "close", "stop"})
    void leaveNothingOpenOnTheThread(String at) {
        Node node = node(at, () -> {
                    throw new IllegalStateException("a bug (simulated)");
                })
                .failing(new IOException("failed"));
        node.deliver();

        assertThat(observations.getCurrentObservation()).isNull();
    }

    @Test
    void letARetriedMessageBeWhenTheyCannotCount() {
        Node node = new Node(Node.SIX_ATTEMPTS).failing(new IOException("failed"));
        node.meters.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                throwError();
                return id;
            }
        });
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.returned()).hasSize(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }
}
